import { isHttpsOrLoopback } from '../base/loopback.ts';
import { type RequiredClaims, usualScopeClaims } from '../base/provider-rules.ts';
import { signatureAlgorithms } from '../base/signature-algorithms.ts';
import { membersOf, pointerTo } from '../base/yaml/json-pointer.ts';
import { brief, found, foundAddress, readMapping, type Say } from '../base/yaml/mistakes.ts';
import { readWithMistakes } from '../base/yaml/read-with-mistakes.ts';
import { readableText } from './entry-kinds.ts';
import { EntryReader } from './entry-reader.ts';
import { checkIntrospection, readIntrospection } from './introspection-entry.ts';
import * as kind from './kinds.ts';
import { issuersOf, logoutAudiencesOf, type Provider, pseudonymIssuers } from './providers.ts';

const known = [
  'name',
  'title',
  'origin',
  'issuer',
  'former_issuer',
  'jwks_path',
  'audience',
  'audience_claim',
  'required_claims',
  'nonce_in_access_tokens',
  'algorithms',
  'required_scopes',
  'scopes_from',
  'require_at_jwt',
  'max_token_lifetime_seconds',
  'web_client_id',
  'logout_audience',
  'introspection',
];
const mostEntries = 32;

/** The providers that IDPS_FILE lists, and every mistake in it with its line: where there is one, they are not all. */
export function readProvidersFile(path: string, text: string, apiAudience: string) {
  const { data, say, mistakes } = readWithMistakes(text, placeOf);
  const entries = mistakes().length > 0 ? [] : readList(data, say, apiAudience);
  checkApart(entries, say);
  checkIntrospection(entries, say);
  return {
    providers: entries.map(({ provider }) => provider),
    mistakes: mistakes().map(({ line, sentence }) => `${path}:${line}: ${sentence}`),
  };
}

/** The line tells which entry is meant, so that its number need not be counted. */
function placeOf(pointer: string): string {
  const [, ...members] = membersOf(pointer);
  if (pointer === '') return 'The file';
  return members.length === 0 ? 'This entry' : members.map(brief).join('.');
}

interface Entry {
  readonly provider: Provider;
  /** Its place in the file. */
  readonly at: string;
}

function readList(data: unknown, say: Say, apiAudience: string): readonly Entry[] {
  if (!Array.isArray(data) || data.length === 0 || data.length > mostEntries) {
    say('', `must be a list of 1 to ${mostEntries} providers, each beginning with "- name:"; ${found(data)}`);
    return [];
  }
  return data.flatMap((entry, index) => {
    const at = pointerTo('', index);
    const provider = readEntry(entry, at, say, apiAudience);
    return provider === null ? [] : [{ provider, at }];
  });
}

function readEntry(entry: unknown, at: string, say: Say, apiAudience: string): Provider | null {
  const members = readMapping(entry, at, known, say, foundAddress);
  if (members === null) return null;
  const read = new EntryReader(members, at, say);
  const name = read.needed('name', providerName);
  const origin = read.needed('origin', providerOrigin, foundAddress);
  const jwksPath = read.text('jwks_path', kind.urlPath, '/.well-known/jwks.json', foundAddress);
  const issuer = read.text('issuer', kind.visibleText, null);
  const formerIssuer = read.text('former_issuer', kind.visibleText, null);
  const audienceClaim = read.text('audience_claim', kind.visibleText, 'aud');
  const rules = {
    title: read.text('title', readableText, name ?? ''),
    audiences: read.texts('audience', audience, [apiAudience]),
    audienceClaim,
    requiredClaims: {
      ...read.claims('required_claims', isCheckedAnyway),
      ...claimsThatGoWith(audienceClaim),
    },
    allowsNonce: read.flag('nonce_in_access_tokens'),
    algorithms: read.texts('algorithms', kind.oneOf(signatureAlgorithms), ['RS256'] as const),
    requiredScopes: read.texts('required_scopes', kind.scopeName, []),
    scopesFrom: read.paths('scopes_from', usualScopeClaims),
    requireAtJwt: read.flag('require_at_jwt'),
    maxTokenLifetimeSeconds: read.whole('max_token_lifetime_seconds', 60, 31_536_000),
    webClientId: read.text('web_client_id', kind.visibleText, null),
    introspection: readIntrospection(members, at, say),
  };
  const logoutAudience = read.texts('logout_audience', kind.visibleText, []);
  if (audienceClaim !== 'aud' && Object.keys(rules.requiredClaims).length === 0 && !rules.requireAtJwt)
    say(
      pointerTo(at, 'audience_claim'),
      'is a claim that ID tokens have, too, and needs "require_at_jwt", or a claim in "required_claims" that only access tokens have',
    );
  if (rules.allowsNonce && Object.keys(rules.requiredClaims).length === 0)
    say(
      pointerTo(at, 'nonce_in_access_tokens'),
      'takes away what tells an ID token, and needs a claim in "required_claims" that only access tokens have',
    );
  if (name === null || origin === null) return null;
  const member = (of: string) => `"${of}" of "${name}" in IDPS_FILE`;
  return {
    ...rules,
    name,
    origin,
    jwksUrl: `${origin}${jwksPath}`,
    issuers: issuersOf(origin, issuer),
    formerIssuer,
    logoutAudiences: logoutAudiencesOf(logoutAudience, rules.webClientId),
    settings: {
      origin: member('origin'),
      issuer: member('issuer'),
      formerIssuer: member('former_issuer'),
      jwksPath: member('jwks_path'),
      audience: member('audience'),
      algorithms: member('algorithms'),
      requiredScopes: member('required_scopes'),
      requireAtJwt: member('require_at_jwt'),
      maxLifetime: member('max_token_lifetime_seconds'),
    },
  };
}

/** Amazon Cognito names the program instead of an audience. Its tokens say in `token_use` which are for APIs. */
function claimsThatGoWith(audienceClaim: string): RequiredClaims {
  return audienceClaim === 'client_id' ? { token_use: 'access' } : {};
}

/** Claims with rules of their own, which another rule could only contradict. */
function isCheckedAnyway(claim: string): boolean {
  return ['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'cnf', 'nonce'].includes(claim);
}

/** A token chooses its provider by its issuer, the operator by its name: both must be unique. */
function checkApart(entries: readonly Entry[], say: Say): void {
  for (const [index, { provider, at }] of entries.entries()) {
    const before = entries.slice(0, index).map((other) => other.provider);
    if (before.some(({ name }) => name === provider.name))
      say(pointerTo(at, 'name'), `is the name of an entry before it, too; found "${provider.name}"`);
    // An origin alone stands for two issuers, with and without a slash.
    const member = provider.issuers.length === 1 ? 'issuer' : 'origin';
    const taken = before.flatMap(({ issuers }) => issuers);
    const shared = provider.issuers.find((issuer) => taken.includes(issuer));
    if (shared !== undefined)
      say(pointerTo(at, member), `is the issuer of an earlier entry, and must be unique; ${found(shared)}`);
    else
      checkPseudonyms(
        provider,
        before,
        pointerTo(at, provider.formerIssuer === null ? member : 'former_issuer'),
        say,
      );
  }
}

/** A pseudonym is made of an issuer and a subject. Two providers with one issuer for it would mix their people. */
function checkPseudonyms(provider: Provider, others: readonly Provider[], at: string, say: Say): void {
  const own = pseudonymIssuers(provider);
  for (const other of others) {
    const shared = pseudonymIssuers(other).find((issuer) => own.includes(issuer));
    if (shared !== undefined)
      say(
        at,
        `is the issuer for pseudonyms of "${other.name}", too, so people with the same "sub" at both would share their records. Keep one of the two entries, or name another former issuer; ${found(shared)}`,
      );
  }
}

const audience: kind.Parse<string> = (value) => {
  if (!value.endsWith('.apps.googleusercontent.com')) return kind.visibleText(value);
  throw new Error('must not be the client id of a frontend at Google, for which there are ID tokens only');
};

const providerName: kind.Parse<string> = (value) => {
  if (/^[a-z][a-z0-9-]{0,62}$/.test(value)) return value;
  throw new Error('must be a name of 1 to 63 small letters, digits and "-" that begins with a letter');
};

const providerOrigin: kind.Parse<string> = (value) => {
  const origin = kind.origin(value);
  if (isHttpsOrLoopback(origin)) return origin;
  throw new Error("must be https, because keys fetched over plain HTTP can be anybody's");
};
