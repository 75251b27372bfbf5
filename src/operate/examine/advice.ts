import { maxTokenBytes } from '../../auth/jws.ts';
import { isMarkedClient } from '../../auth/provider-marks.ts';
import type { StepName } from '../../auth/trace.ts';
import { roughDuration } from '../../base/duration.ts';
import { describe, type ErrorCode, type Refusal } from '../../base/errors.ts';
import { assigned, quoted, unquoted } from '../../base/finding.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { ExaminedIssuer, TraceContext } from './context.ts';

/** A member of a token that may be shown: a text or a list of texts. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const isText = (entry: unknown) => typeof entry === 'string';
  const isShowable = isText(value) || (Array.isArray(value) && value.every(isText));
  return isShowable ? quoted(value) : 'not a text (not shown)';
}

export function shownTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
}

/** The claims that all access tokens of this provider have. */
export function requiredShown({ claims: { requiredClaims } }: ExaminedIssuer): string {
  const each = ([name, text]: [string, string | true]) =>
    text === true ? `${name} with any value` : `${name} ${quoted(text)}`;
  return Object.entries(requiredClaims).map(each).join(', ');
}

/** What happened and what to do, in one line, if the step failed with this refusal. */
export function adviceFor({ code, options }: Refusal, step: StepName, context: TraceContext): string {
  return advice[code]?.(context, step, options.detail ?? 'no reason given') ?? describe(code).sentence;
}

type Advice = (context: TraceContext, step: StepName, why: string) => string;

const idTokenAdvice =
  'This is an ID token, which is for the frontend and not for an API. Send the access token.';

/** The advice of `explain` and `doctor`, by the code that the service answers with. */
const advice: Partial<Record<ErrorCode, Advice>> = {
  authorization_malformed: ({ text }) => adviceByLooks(text),
  headers_too_large: ({ text }) => adviceByLooks(text),
  token_too_large: ({ text }) => adviceByLooks(text),
  token_malformed({ text, header }, step) {
    if (step === 'shape') return adviceByLooks(text);
    return header.kid === undefined
      ? 'The first part of the token is not JSON: it was cut off or changed on the way.'
      : 'The name of the key ("kid") is not a text, or longer than 512 characters.';
  },
  algorithm_not_allowed({ header, issuer: { algorithms, settings } }) {
    const alg = typeof header.alg === 'string' ? header.alg : '';
    if (/^HS\d+$/.test(alg))
      return `The token is signed with a shared secret (${alg}): every service that can check such a token can also forge it. Set the provider to RS256 for this API.`;
    if (/^none$/i.test(alg)) return 'The token is not signed at all (alg "none").';
    if (/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/.test(alg))
      return `The token is signed with ${alg}, which ${settings.algorithms} does not name. Configure the provider to use another algorithm, or set ${assigned([settings.algorithms, [...algorithms, alg].join(',')])}`;
    return `The token is signed with ${shown(header.alg)}, which is never accepted. Configure the provider to sign with RS256.`;
  },
  header_not_supported: () =>
    'The token requires an extension ("crit" or "b64") that is not supported. Configure the provider to issue tokens without it.',
  issuer_mismatch: issuerAdvice,
  token_type_not_allowed({ header, claims, issuer }, step) {
    if (step === 'header') return 'The type of the token ("typ") is not a text.';
    if (step === 'use')
      return `Access tokens of this provider have ${requiredShown(issuer)}, and this one does not: it is most likely an ID token. Send the access token.`;
    if (step === 'purpose') return purposeAdvice(claims);
    const { requireAtJwt: setting } = issuer.settings;
    return header.typ === undefined || /^(application\/)?jwt$/i.test(String(header.typ))
      ? `Only tokens with "typ": "at+jwt" are accepted (${setting}), and this one has another type. Configure the provider to write it (RFC 9068), or set ${assigned([setting, 'false'])}`
      : `This is not an access token: its "typ" is ${shown(header.typ)}. Send the access token.`;
  },
  keys_unavailable: ({ issuer }, _step, why) => keysAdvice(issuer, why),
  storage_unavailable: ({ issuer }, step, why) =>
    step === 'key'
      ? keysAdvice(issuer, why)
      : `The token is valid, but the database cannot be read (${why}). ${connectionAdvice(why, 'DATABASE_URL')}`,
  key_unknown({ header, keys }) {
    const set = keys?.set.keys ?? [];
    const { kid } = header;
    if (kid === undefined)
      return `The token names no key ("kid"), and the issuer publishes ${set.length} keys. Configure the provider to write "kid".`;
    const named = set.find((key) => key.kid === kid);
    return named === undefined
      ? `The issuer publishes no usable key ${quoted(kid)}: the provider has rotated it, or the token comes from another environment of the provider. Sign in again.`
      : `The key ${quoted(kid)} is for ${named.algorithms.join(', ')}, but "alg" of the token is ${header.alg}.`;
  },
  signature_invalid: () =>
    'The signature does not fit: the token was edited after it was signed, or signed with another key of the same name. Get a new one from the provider.',
  proof_required: () =>
    'Only tokens that are bound to a key are accepted here (DPOP is "required"). Ask the provider for the token with a DPoP proof, or set DPOP=on.',
  token_bound({ claims: { cnf } }) {
    return isJsonObject(cnf) && 'jkt' in cnf
      ? 'The token is bound to a key (DPoP), and this service does not accept it. Set DPOP=on. If it is on, "cnf" must have exactly one member, "jkt": a SHA-256 in base64url.'
      : 'The token is bound in a way that this service cannot check, for example to a certificate (mutual TLS). Disable that for this API at the provider, or use DPoP.';
  },
  expiry_missing: () =>
    'The token never expires (no "exp"), and such a token is not accepted. Configure the provider to issue tokens with "exp".',
  token_expired({ claims, nowSeconds }) {
    const exp = Number(claims.exp);
    return `The token expired ${roughDuration(nowSeconds - exp)} ago (${shownTime(exp)}). Get a new one.`;
  },
  token_not_yet_valid({ claims, nowSeconds }) {
    const start = Math.max(Number(claims.nbf ?? 0), Number(claims.iat ?? 0));
    return `The token becomes valid only in ${roughDuration(start - nowSeconds)} (${shownTime(start)}): the clock of this machine or of the provider is wrong. "npx vestibule doctor" compares them.`;
  },
  token_lifetime_too_long({ claims: { exp, iat }, issuer }) {
    const lifetime =
      iat === undefined
        ? 'does not say when it was issued ("iat")'
        : `lives for ${roughDuration(Number(exp) - Number(iat))}`;
    return `The token ${lifetime}, and ${issuer.settings.maxLifetime} is ${issuer.claims.maxLifetimeSeconds}. Configure the provider to issue tokens with a shorter lifetime, or raise the setting.`;
  },
  claim_invalid: (_context, step) =>
    step === 'times'
      ? 'A time in the token (exp, nbf, iat) is not a number of seconds since 1970.'
      : 'The token was not made by POST /token of this service, although it names it.',
  audience_mismatch({ claims, issuer: { claims: policy, settings } }) {
    const { audienceClaim: claim, audiences } = policy;
    if (claim === 'aud' && looksLikeIdToken(claims)) return idTokenAdvice;
    const said = `${shown(claims[claim])}${claim === 'aud' ? '' : ` ("${claim}")`}`;
    return `The token is for another audience: it says ${said}, and ${settings.audience} is ${(audiences ?? []).map(quoted).join(' or ')}. Ask the provider for a token for that audience (Keycloak: an audience mapper), or set ${settings.audience}.`;
  },
  subject_invalid: () => 'The token has no usable subject: "sub" must be a non-empty text.',
  insufficient_scope({ verified, issuer: { claims: policy, settings } }) {
    const missing = policy.requiredScopes.filter((name) => !verified?.scopes.includes(name));
    return `The token lacks the scope ${missing.join(' ') || '(its list cannot be read)'}. Ask the provider for it when you sign in, or change ${settings.requiredScopes}.`;
  },
  consumer_suspended: () =>
    'The operator has suspended this caller. "npx vestibule consumer resume" admits it again (its pseudonym: --pseudonym).',
  client_disabled: () =>
    'The client was disabled or removed, or the secret that the token was issued for was. "npx vestibule client list" shows them.',
  token_revoked: () =>
    'The token was revoked: its user signed out, the provider or the operator ended the session, the client revoked it, or the operator took one of its scopes from the client. Sign in again, or ask for a new token.',
};

/** What to do about a provider or a database that cannot be reached, by the code in the detail of the failure. */
export function connectionAdvice(detail: string, settings: string): string {
  const known = connectionFaults.find(([fault]) => fault.test(detail));
  return (known?.[1] ?? 'Check SETTINGS.').replace('SETTINGS', settings);
}

const connectionFaults: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'There is no such host. Check SETTINGS, and whether this machine resolves names.'],
  [/ECONNREFUSED/, 'Nothing listens there. Start it, or check host and port in SETTINGS.'],
  [
    /SELF.SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    'This machine does not trust its certificate. Name the certificate authority in NODE_EXTRA_CA_CERTS.',
  ],
  [/CERT_HAS_EXPIRED/, 'Its certificate has expired. Renew it there.'],
  [/ALTNAME_INVALID/, 'Its certificate is for another name. Use the name of the certificate in SETTINGS.'],
  [
    /EPROTO|ERR_SSL|WRONG_VERSION/,
    'That port does not use TLS. Check SETTINGS: http or https, and the port.',
  ],
  [/no complete answer/, 'It does not answer in time. Check SETTINGS, and any firewall or proxy in between.'],
  [/status 30\d/, 'It redirects, and redirects are not followed. Set SETTINGS to the final address.'],
  [/status 40[13]/, 'It asks for credentials, and keys are public. Check SETTINGS.'],
  [/status 404/, 'There is nothing at that URL (404). Check SETTINGS.'],
  [/status 5\d\d/, 'The provider answered with a server error. Try again later.'],
  [/not JSON/, 'The answer is not the expected JSON. It may be an HTML page. Check SETTINGS.'],
  [/28P01|28000/, 'The database does not know this user or password. Check SETTINGS.'],
  [/3D000/, 'The server has no such database. Create it, or check the name in SETTINGS.'],
  [/not an SQLite database/, 'The file has another format. Name an SQLite file in SETTINGS.'],
  [/locked|busy/, 'Another program has locked it. Stop that program.'],
];

function keysAdvice({ settings }: ExaminedIssuer, why: string): string {
  if (why.includes('algorithm_not_allowed'))
    return `The published keys are for other algorithms than ${settings.algorithms} names. Add the algorithms of the provider to it.`;
  const { origin, jwksPath } = settings;
  const todo = connectionAdvice(why, jwksPath === undefined ? 'DATABASE_URL' : `${origin} and ${jwksPath}`);
  return `The keys of the issuer cannot be fetched. ${todo}`;
}

/** What to do about an issuer that is not accepted. Most are nearly right. */
function issuerAdvice({ claims: { iss }, issuers }: TraceContext): string {
  const { origin, issuer: setting } = issuers[0].settings;
  if (typeof iss !== 'string')
    return `The issuer is missing, but every provider names one. Check ${origin} and ${setting}.`;
  if (iss.includes('{'))
    return `This is the address for all tenants, but each token names its own tenant. Set ${setting} to the address of your tenant, with its id.`;
  const accepted = issuers.flatMap(({ claims, settings }) =>
    claims.issuers.map((issuer) => ({
      issuer,
      says: `found ${quoted(iss)}, expected ${quoted(issuer)}`,
      change: assigned([settings.issuer, unquoted(iss)]),
    })),
  );
  /** The first accepted issuer for which `same` gives the same value as for the token's issuer. */
  const nearest = (partOf: (issuer: string) => string | undefined) => {
    const part = partOf(iss);
    return accepted.find(({ issuer }) => part !== undefined && partOf(issuer) === part);
  };
  const twin = nearest((issuer) => issuer.replace(/\/+$/, ''));
  if (twin !== undefined)
    return `The issuer differs only by its trailing slash: ${twin.says}. Set ${twin.change}`;
  const isEntra = accepted.some(({ issuer }) => issuer.startsWith('https://login.microsoftonline.com'));
  if (isEntra && iss.startsWith('https://sts.windows.net/'))
    return `This is a version 1 token of Entra (${quoted(iss)}). Set "requestedAccessTokenVersion": 2 in the manifest of the API's app registration.`;
  const sibling =
    nearest((issuer) => URL.parse(issuer)?.host) ??
    // The last two names of the host.
    nearest((issuer) => URL.parse(issuer)?.hostname.match(/[a-z][^.]*\.[a-z][^.]*$/)?.[0]);
  if (sibling !== undefined)
    return `This is another tenant or realm of the same provider: ${sibling.says}. Sign in at the accepted one, or set ${sibling.change}`;
  const todo =
    issuers.length > 2
      ? 'Add an entry for it to IDPS_FILE, or let your frontend sign in at one of these.'
      : `Set ${origin} (and ${setting}) to the provider that your frontend signs in at.`;
  return `The issuer is ${quoted(iss)}, and only ${accepted.map(({ issuer }) => quoted(issuer)).join(', ')} are accepted. ${todo}`;
}

const wantsJwt =
  'Ask the provider for a signed JWT: name this API (API_AUDIENCE) when you ask for the token.';

/** What a string that is not a JWT most likely is, and what to send instead. */
function adviceByLooks(text: string): string {
  const parts = text.split('.');
  if (/^[{[]/.test(text))
    return 'This is JSON, probably the whole answer of a token endpoint. Send the value of its "access_token" alone.';
  if (/\s/.test(text))
    return 'The token contains spaces or line breaks, for example from a narrow window. Copy it in one piece.';
  if (text.length > maxTokenBytes)
    return `The token has ${text.length} bytes, and at most ${maxTokenBytes} are accepted. Configure the provider to write fewer claims (groups, roles).`;
  if (parts.length === 5)
    return `This is a JWE: an encrypted token that only its provider can read. Auth0 issues one when no audience was asked for. ${wantsJwt}`;
  if (text.startsWith('ya29.'))
    return 'This is an opaque access token of Google, which only Google can check. Google issues no access token for an API of your own; put a provider in between that does.';
  if (/^(1\/\/|[01]\.A|v1\.M)/.test(text))
    return 'This looks like a refresh token. Exchange it for an access token at the provider, and send that.';
  if (parts.length === 1) return `This is an opaque token: it contains nothing to verify. ${wantsJwt}`;
  if (parts.length === 2 || (parts.length === 3 && parts[2] === ''))
    return 'The signature is missing. Send the complete token.';
  if (parts.length === 3)
    return 'The token has three parts, but one of them is not base64url or not the expected JSON: it was cut off or changed on the way.';
  return `This is not a JWT. ${wantsJwt}`;
}

function purposeAdvice(claims: JsonObject): string {
  const typ = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : '';
  if (typ === 'refresh' || typ === 'offline')
    return 'This is a refresh token. Exchange it for an access token at the provider, and send that.';
  return typ === 'logout' || Object.hasOwn(claims, 'events')
    ? 'This is a logout token or a security event token, not an access token. Send the access token.'
    : idTokenAdvice;
}

const profileClaims = 'name email picture nickname preferred_username auth_time amr sid'.split(' ');
/** Supabase says `role`, and all tokens of Firebase have `firebase`. */
const accessClaims = 'scope scp roles permissions role firebase'.split(' ');

/** True for a token of a person that grants no scope. */
function looksLikeIdToken(claims: JsonObject): boolean {
  // A service account of Google has an address, too.
  if (typeof claims.sub === 'string' && isMarkedClient(claims, claims.sub)) return false;
  const has = (name: string) => Object.hasOwn(claims, name);
  return !accessClaims.some(has) && profileClaims.some(has);
}
