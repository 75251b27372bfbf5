import { usualScopeClaims } from '../base/provider-rules.ts';
import { membersOf, pointerTo } from '../base/strict-json.ts';
import { brief, found, type ReportAt } from '../base/yaml/mistakes.ts';
import { readWithMistakes } from '../base/yaml/yaml-text.ts';
import { issuersOf, logoutAudiencesOf, type Provider, pseudonymIssuers } from './providers.ts';
import { checkProviderList, type ProviderEntry, providerOrigin } from './providers-schema.ts';

/** The providers that IDPS_FILE lists, or every mistake in it with its line. */
export function readProvidersFile(path: string, text: string, apiAudience: string) {
  const { data, say, mistakes } = readWithMistakes(text, placeOf);
  const hasForm = mistakes().length === 0 && checkProviderList(data, say);
  const entries = hasForm ? (data as unknown as readonly ProviderEntry[]) : [];
  const providers = entries.map((entry) => toProvider(entry, apiAudience));
  for (const [index, provider] of providers.entries()) {
    const at = pointerTo('', index);
    checkIdTokens(provider, at, say);
    checkApart(provider, providers.slice(0, index), at, say);
  }
  return { providers, mistakes: mistakes().map(({ line, sentence }) => `${path}:${line}: ${sentence}`) };
}

/** The line identifies the entry, so that the operator need not count entries. */
function placeOf(pointer: string): string {
  const [, ...members] = membersOf(pointer);
  if (pointer === '') return 'The file';
  return members.length === 0 ? 'This entry' : members.map(brief).join('.');
}

function toProvider(entry: ProviderEntry, apiAudience: string): Provider {
  const { name, audience_claim: audienceClaim } = entry;
  const origin = providerOrigin(entry.origin);
  const webClientId = entry.web_client_id ?? null;
  const member = (of: keyof ProviderEntry) => `"${of}" of "${name}" in IDPS_FILE`;
  return {
    name,
    title: entry.title ?? name,
    origin,
    jwksUrl: `${origin}${entry.jwks_path}`,
    issuers: issuersOf(origin, entry.issuer ?? null),
    formerIssuer: entry.former_issuer ?? null,
    audiences: [entry.audience ?? apiAudience].flat(),
    audienceClaim,
    // Amazon Cognito tokens name the client instead of an audience, and `token_use` says which are for APIs.
    requiredClaims: {
      ...entry.required_claims,
      ...(audienceClaim === 'client_id' && { token_use: 'access' }),
    },
    allowsNonce: entry.nonce_in_access_tokens,
    algorithms: [entry.algorithms].flat(),
    requiredScopes: [entry.required_scopes ?? []].flat(),
    scopesFrom:
      entry.scopes_from?.map((path) => (typeof path === 'string' ? [path] : path)) ?? usualScopeClaims,
    requireAtJwt: entry.require_at_jwt,
    maxTokenLifetimeSeconds: entry.max_token_lifetime_seconds ?? null,
    webClientId,
    logoutAudiences: logoutAudiencesOf([entry.logout_audience ?? []].flat(), webClientId),
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

/** A rule must tell access tokens from ID tokens, which are for the frontend only. */
function checkIdTokens(provider: Provider, at: string, say: ReportAt): void {
  if (Object.keys(provider.requiredClaims).length > 0) return;
  if (provider.audienceClaim !== 'aud' && !provider.requireAtJwt)
    say(
      pointerTo(at, 'audience_claim'),
      'is a claim that ID tokens also have, and needs "require_at_jwt", or a claim in "required_claims" that only access tokens have',
    );
  if (provider.allowsNonce)
    say(
      pointerTo(at, 'nonce_in_access_tokens'),
      'accepts a claim that identifies ID tokens, and needs a claim in "required_claims" that only access tokens have',
    );
}

/** The issuer in a token selects the provider, and the operator refers to it by name: both must be unique. */
function checkApart(provider: Provider, before: readonly Provider[], at: string, say: ReportAt): void {
  if (before.some(({ name }) => name === provider.name))
    say(
      pointerTo(at, 'name'),
      `is also the name of an earlier entry, and must be unique; found "${provider.name}"`,
    );
  // An origin alone stands for two issuers, with and without a trailing slash.
  const member = provider.issuers.length === 1 ? 'issuer' : 'origin';
  const taken = before.flatMap(({ issuers }) => issuers);
  const shared = provider.issuers.find((issuer) => taken.includes(issuer));
  if (shared !== undefined) {
    say(pointerTo(at, member), `is the issuer of an earlier entry, and must be unique; ${found(shared)}`);
    return;
  }
  // A pseudonym is computed from issuer and subject. Two providers with one pseudonym issuer would mix their users.
  const own = pseudonymIssuers(provider);
  for (const other of before) {
    const common = pseudonymIssuers(other).find((issuer) => own.includes(issuer));
    if (common !== undefined)
      say(
        pointerTo(at, provider.formerIssuer === null ? member : 'former_issuer'),
        `is also the issuer for pseudonyms of "${other.name}", so people with the same "sub" at both would share their records. Keep one of the two entries, or name another former issuer; ${found(common)}`,
      );
  }
}
