import { roughDuration } from '../../base/duration.ts';
import { describe, type ErrorCode, type Refusal } from '../../base/errors.ts';
import { assigned, quoted } from '../../base/finding.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import { isMarkedClient } from '../provider-marks.ts';
import type { StepName } from '../trace.ts';
import { type Context, requiredShown, shown, shownTime } from './context.ts';
import { issuerAdvice } from './issuer-advice.ts';
import { adviceByLooks } from './looks-like.ts';

/** What happened and what to do, in one line, if the step failed with this refusal. */
export function adviceFor({ code, options }: Refusal, step: StepName, context: Context): string {
  return advice[code]?.(context, step, options.detail ?? 'no reason given') ?? describe(code).sentence;
}

type Advice = (context: Context, step: StepName, why: string) => string;

const tellsMore = '"npx vestibule doctor" tells more.';
const idTokenAdvice =
  'This is an ID token: it tells the frontend who signed in, and opens no API. Send the access token.';

const advice: Partial<Record<ErrorCode, Advice>> = {
  authorization_malformed: ({ text }) => adviceByLooks(text),
  headers_too_large: ({ text }) => adviceByLooks(text),
  token_too_large: ({ text }) => adviceByLooks(text),
  token_malformed({ text, header }, step) {
    if (step === 'shape') return adviceByLooks(text);
    return header?.kid === undefined
      ? 'The first part of the token is not JSON: it was cut off or changed on the way.'
      : 'The name of the key ("kid") is no text, or longer than 512 characters.';
  },
  token_inactive: () =>
    `${describe('token_inactive').sentence} (Or the provider does not tell the client of "introspection" about it.)`,
  introspection_unavailable: (_context, _step, why) =>
    `The provider cannot be asked about the token: ${why}. ${tellsMore}`,
  algorithm_not_allowed({ header, issuer }) {
    const alg = typeof header?.alg === 'string' ? header.alg : '';
    if (/^HS\d+$/.test(alg))
      return `The token is signed with a shared secret (${alg}), and every service that can check such a token can also forge it. Set the provider to RS256 for this API.`;
    if (/^none$/i.test(alg)) return 'The token is not signed at all (alg "none").';
    if (/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/.test(alg))
      return `The token is signed with ${alg}, which ${issuer.settings.algorithms} does not name. Add it there, or let the provider sign otherwise.`;
    return `The token is signed with ${shown(header?.alg)}, which is never taken. Let the provider sign with RS256.`;
  },
  header_not_supported: () =>
    'The token demands an extension ("crit" or "b64") that is not supported here. Have it issued without.',
  issuer_mismatch: issuerAdvice,
  token_type_not_allowed({ header, claims, issuer }, step) {
    if (step === 'header') return 'The type of the token ("typ") is no text.';
    if (step === 'use')
      return `Access tokens of this provider have ${requiredShown(issuer)}, and this one does not: it is most likely an ID token. Send the access token.`;
    if (step === 'purpose') return purposeAdvice(claims);
    if (header === null)
      return 'This is no access token, but most likely a refresh token. Send the access token.';
    const { requireAtJwt: setting } = issuer.settings;
    return header.typ === undefined || /^(application\/)?jwt$/i.test(String(header.typ))
      ? `Only tokens that say "typ": "at+jwt" are taken (${setting}), and this one does not. Let the provider write it (RFC 9068), or set ${assigned([setting, 'false'])}`
      : `This is no access token: its "typ" is ${shown(header.typ)}. Send the access token.`;
  },
  keys_unavailable: (_context, _step, why) => keysAdvice(why),
  storage_unavailable: ({ caller }, step, why) =>
    step === 'key'
      ? keysAdvice(why)
      : `The token is right, but the database cannot be read (${caller && 'unknown' in caller ? caller.unknown : why}). ${tellsMore}`,
  key_unknown({ header, keys }) {
    const set = keys?.set.keys ?? [];
    const kid = header?.kid;
    if (kid === undefined)
      return `The token names no key ("kid"), and with ${set.length} published keys nothing says which is meant.`;
    const named = set.find((key) => key.kid === kid);
    return named === undefined
      ? `The issuer publishes no usable key ${quoted(kid)}: it was rotated away, or the token comes from another environment of the provider. Sign in again.`
      : `The key ${quoted(kid)} is for ${named.algorithms.join(', ')}, and the token says ${header?.alg}.`;
  },
  signature_invalid: () =>
    'The signature does not fit: the token was edited after it was signed, or signed with another key of the same name. Get a new one from the provider.',
  proof_required: () =>
    'Only tokens that are bound to a key are taken here (DPOP is "required"). Ask the provider for the token with a DPoP proof, or set DPOP=on.',
  token_bound({ claims: { cnf } }, step) {
    if (step === 'type')
      return 'The token is bound to a key (DPoP), and the answer does not say to which ("cnf"). Let the provider say it.';
    return isJsonObject(cnf) && 'jkt' in cnf
      ? 'The token is bound to a key (DPoP), which is not taken here as it is. Set DPOP=on; with that on, "cnf" must have the one member "jkt", a SHA-256 in base64url.'
      : 'The token is bound in a way that cannot be proven here, for example to a certificate (mutual TLS). Switch that off for this API at the provider, or use DPoP.';
  },
  expiry_missing: () =>
    'The token never expires (no "exp"), and such a token is not taken. Have it issued with one.',
  token_expired({ claims, nowSeconds }) {
    const exp = Number(claims.exp);
    return `The token expired ${roughDuration(nowSeconds - exp)} ago (${shownTime(exp)}). Get a new one.`;
  },
  token_not_yet_valid({ claims, nowSeconds }) {
    const start = Math.max(Number(claims.nbf ?? 0), Number(claims.iat ?? 0));
    return `The token becomes valid in ${roughDuration(start - nowSeconds)} only (${shownTime(start)}): one of the clocks, ours or the provider's, is wrong. "npx vestibule doctor" compares them.`;
  },
  token_lifetime_too_long({ claims: { exp, iat }, issuer }) {
    const lifetime =
      iat === undefined
        ? 'does not say when it was issued ("iat")'
        : `lives for ${roughDuration(Number(exp) - Number(iat))}`;
    return `The token ${lifetime}, and ${issuer.settings.maxLifetime} is ${issuer.claims.maxLifetimeSeconds}. Let the provider issue shorter ones, or raise it.`;
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
  subject_invalid: () =>
    'The token names nobody that can be kept apart from others: "sub" must be a non-empty text.',
  insufficient_scope({ verified, issuer: { claims: policy, settings } }) {
    const missing = policy.requiredScopes.filter((name) => !verified?.scopes.includes(name));
    return `The token lacks the scope ${missing.join(' ') || '(its list cannot be read)'}. Ask the provider for it when you sign in, or change ${settings.requiredScopes}.`;
  },
  consumer_suspended: () =>
    'The operator has suspended this caller. "npx vestibule consumer resume" lets it in again (its pseudonym: --pseudonym).',
  client_disabled: () =>
    'The client was disabled or removed, or the secret that the token was issued for was. "npx vestibule client list" shows them.',
  token_revoked: () =>
    'The token was revoked: its user signed out, the provider or the operator ended the session, the client revoked it, or the operator took one of its scopes from the client. Sign in again, or ask for a new token.',
};

function keysAdvice(why: string): string {
  return `The keys of the issuer cannot be had (${why}). ${tellsMore}`;
}

function purposeAdvice(claims: JsonObject): string {
  const typ = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : '';
  if (typ === 'refresh' || typ === 'offline')
    return 'This is a refresh token. Trade it in at the provider for an access token, and send that.';
  return typ === 'logout' || Object.hasOwn(claims, 'events')
    ? 'This is a logout token or a security event token, not an access token. Send the access token.'
    : idTokenAdvice;
}

const profileClaims = 'name email picture nickname preferred_username auth_time amr sid'.split(' ');
/** Supabase says `role`, and all tokens of Firebase have `firebase`. */
const accessClaims = 'scope scp roles permissions role firebase'.split(' ');

/** A token about a person that grants nothing. */
function looksLikeIdToken(claims: JsonObject): boolean {
  // A service account of Google has an address, too.
  if (typeof claims.sub === 'string' && isMarkedClient(claims, claims.sub)) return false;
  const has = (name: string) => Object.hasOwn(claims, name);
  return !accessClaims.some(has) && profileClaims.some(has);
}
