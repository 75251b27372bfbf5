import type { TokenBinding, TokenTimes, VerifiedClaims } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';
import type { ClaimPath, RequiredClaims } from '../base/provider-rules.ts';
import { isScopeName, readScopes, requireScopes } from '../base/scopes.ts';
import { isMarkedClient, isMarkedIdToken } from './provider-marks.ts';

export const clockToleranceSeconds = 5;

/** What a token of one issuer must say. */
export interface ClaimsPolicy {
  /** The exact values of `iss`. */
  readonly issuers: readonly string[];
  /** One of these must be among those of the token; null: whomever it is for. */
  readonly audiences: readonly string[] | null;
  /** Where the token says whom it is for: `aud`, or what a provider without one has instead. */
  readonly audienceClaim: string;
  readonly requiredClaims: RequiredClaims;
  /** Access tokens may carry a `nonce`: `requiredClaims` tell them from ID tokens. */
  readonly allowsNonce: boolean;
  readonly requiredScopes: readonly string[];
  /** The claims that grant scopes, each by the names that lead to it. */
  readonly scopesFrom: readonly ClaimPath[];
  /** From `iat` to `exp`; null: as long as the issuer says. */
  readonly maxLifetimeSeconds: number | null;
  /** Every token of this issuer speaks for a machine client. */
  readonly clientsOnly: boolean;
  readonly binding: BindingPolicy;
}

/** Which bound tokens are taken (`cnf`). Whoever takes any sees to it that they are proven. */
export interface BindingPolicy {
  readonly methods: readonly TokenBinding['method'][];
  /** Tokens that are bound to nothing are refused. */
  readonly required: boolean;
}

/** The claims of a token whose signature holds, checked one after the other. Pure: the time is passed in. */
export function checkClaims(claims: JsonObject, policy: ClaimsPolicy, nowSeconds: number): VerifiedClaims {
  const issuer = checkIssuer(claims, policy);
  checkPurpose(claims, policy);
  const boundTo = readBinding(claims, policy.binding);
  const times = readTimes(claims);
  checkTimes(times, nowSeconds);
  checkLifetime(times, policy.maxLifetimeSeconds);
  checkRequired(claims, policy.requiredClaims);
  const audience = checkAudience(claims[policy.audienceClaim], policy.audiences);
  const subject = readSubject(claims);
  const scopes = grantedScopes(claims, policy.scopesFrom);
  requireScopes(policy.requiredScopes, scopes);
  return {
    kind: policy.clientsOnly || isClient(claims, subject) ? 'client' : 'user',
    issuer,
    subject,
    audience,
    scopes,
    times,
    credentialId: policy.clientsOnly ? credentialOf(claims) : null,
    boundTo,
    sessionId: readSession(claims),
    tokenId: policy.clientsOnly ? (claims.jti as string) : null,
  };
}

function checkIssuer({ iss }: JsonObject, { issuers }: ClaimsPolicy): string {
  // The policy's own string rather than the token's copy: it is remembered with every token.
  const known = issuers.find((issuer) => issuer === iss);
  if (known === undefined) throw new Refusal('issuer_mismatch');
  return known;
}

/** Claims that only an ID token has. They betray one even when its audience happens to be this API. */
const idTokenClaims = ['at_hash', 'c_hash', 's_hash'];

/**
 * Tokens of the same provider that are signed with the same key but are no access tokens. `nonce` is an ID token's
 * too, save that older Keycloaks copy it into access tokens, which they mark with a `typ` claim of "Bearer".
 */
function checkPurpose(claims: JsonObject, { allowsNonce }: ClaimsPolicy): void {
  const statedType = claims.typ;
  const isOtherType = typeof statedType === 'string' && /^(id|refresh|offline|logout)$/i.test(statedType);
  const isIdToken = idTokenClaims.some((name) => Object.hasOwn(claims, name)) || isMarkedIdToken(claims);
  const hasForeignNonce = Object.hasOwn(claims, 'nonce') && statedType !== 'Bearer' && !allowsNonce;
  const isSecurityEvent = Object.hasOwn(claims, 'events');
  if (isOtherType || isIdToken || hasForeignNonce || isSecurityEvent)
    throw new Refusal('token_type_not_allowed');
}

/** How a token may say that it is bound: RFC 9449 section 6, RFC 8705 section 3.1. */
const confirmations: Readonly<Record<string, TokenBinding['method']>> = { jkt: 'dpop', 'x5t#S256': 'mtls' };
/** A SHA-256 in base64url. */
const thumbprintForm = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7800: a token with `cnf`, whatever is in it, is worth something only beside a proof. Exactly one that we can check is taken. */
function readBinding({ cnf }: JsonObject, { methods, required }: BindingPolicy): TokenBinding | null {
  if (cnf === undefined) {
    if (required) throw new Refusal('proof_required');
    return null;
  }
  const [[name, thumbprint] = ['', null], ...others] = isJsonObject(cnf) ? Object.entries(cnf) : [];
  const method = Object.hasOwn(confirmations, name) ? confirmations[name] : undefined;
  const isUsable = typeof thumbprint === 'string' && thumbprintForm.test(thumbprint);
  if (method === undefined || !methods.includes(method) || !isUsable || others.length > 0)
    throw new Refusal('token_bound');
  return { method, thumbprint };
}

function readTimes(claims: JsonObject): TokenTimes {
  const expiresAtSeconds = optionalTime(claims, 'exp');
  if (expiresAtSeconds === null) throw new Refusal('expiry_missing');
  return {
    expiresAtSeconds,
    notBeforeSeconds: optionalTime(claims, 'nbf'),
    issuedAtSeconds: optionalTime(claims, 'iat'),
  };
}

/** Also asked of a token that was verified before: time goes on, and clocks are set back. */
export function checkTimes(times: TokenTimes, nowSeconds: number): void {
  const { notBeforeSeconds, issuedAtSeconds } = times;
  if (hasExpired(times, nowSeconds)) throw new Refusal('token_expired');
  const latestStart = nowSeconds + clockToleranceSeconds;
  if ((notBeforeSeconds ?? 0) > latestStart) throw new Refusal('token_not_yet_valid');
  if ((issuedAtSeconds ?? 0) > latestStart) throw new Refusal('token_not_yet_valid');
}

export function hasExpired({ expiresAtSeconds }: TokenTimes, nowSeconds: number): boolean {
  return expiresAtSeconds <= nowSeconds - clockToleranceSeconds;
}

/** How long a token lives that does not say when it was issued cannot be told, so it counts as too long. */
function checkLifetime({ expiresAtSeconds, issuedAtSeconds }: TokenTimes, mostSeconds: number | null): void {
  if (mostSeconds === null) return;
  if (issuedAtSeconds === null || expiresAtSeconds - issuedAtSeconds > mostSeconds)
    throw new Refusal('token_lifetime_too_long');
}

/** The end of the year 9999: past it a number is no time but a mistake, and no calendar can show it. */
const latestTimeSeconds = 253_402_300_799;

function optionalTime(claims: JsonObject, name: string): number | null {
  const value = claims[name];
  if (value === undefined) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= latestTimeSeconds))
    throw new Refusal('claim_invalid');
  return value;
}

/** What a provider says only in some of the tokens that it signs with the same key. */
function checkRequired(claims: JsonObject, required: RequiredClaims): void {
  for (const name in required) {
    const wanted = required[name];
    const isThere = wanted === true ? Object.hasOwn(claims, name) : claims[name] === wanted;
    if (!isThere) throw new Refusal('token_type_not_allowed');
  }
}

function checkAudience(said: unknown, audiences: readonly string[] | null): string | null {
  if (audiences === null) return null;
  const stated = Array.isArray(said) ? said : [said];
  const allStrings = stated.every((entry) => typeof entry === 'string');
  const ours = audiences.find((audience) => stated.includes(audience));
  if (!allStrings || ours === undefined) throw new Refusal('audience_mismatch');
  return ours;
}

/**
 * Nothing stands in for a missing subject: `client_id` and `azp` name a program, and all people behind it would become
 * one caller. NUL is refused because it separates the parts of a pseudonym, and lone surrogates because they all encode
 * to the same bytes: either would let two subjects become one owner.
 */
function readSubject({ sub: value }: JsonObject): string | null {
  if (value === undefined) return null;
  const usable = typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed();
  if (!usable) throw new Refusal('subject_invalid');
  return value;
}

/** A token without a subject has nobody behind it. */
function isClient(claims: JsonObject, subject: string | null): boolean {
  return subject === null || isMarkedClient(claims, subject);
}

/** Our own tokens begin their `jti` with the name of the credentials that they were issued for. */
function credentialOf({ jti }: JsonObject): string {
  const name = typeof jti === 'string' ? jti.split('.', 1)[0] : '';
  if (!name) throw new Refusal('claim_invalid');
  return name;
}

const longestSession = 512;

/** What is no usable name of a session is none: such a token ends with every session of its subject. */
function readSession({ sid }: JsonObject): string | null {
  return typeof sid === 'string' && sid !== '' && sid.length <= longestSession ? sid : null;
}

/** All that the claims grant together. What is no list of scopes grants nothing. */
function grantedScopes(claims: JsonObject, from: readonly ClaimPath[]): readonly string[] {
  const granted = from.map((path) => scopesAt(claims, path)).filter((scopes) => scopes.length > 0);
  return granted.length > 1 ? [...new Set(granted.flat())] : (granted[0] ?? none);
}

const none: readonly string[] = [];

/** One text of scopes, or (but for `scope`, RFC 9068) a list; in it, as in one of roles, what cannot be a scope is left out. */
function scopesAt(claims: JsonObject, path: readonly string[]): readonly string[] {
  const value = valueAt(claims, path);
  if (typeof value === 'string') return readScopes(value) ?? none;
  if (!Array.isArray(value) || (path.length === 1 && path[0] === 'scope')) return none;
  return value.filter((item) => typeof item === 'string' && isScopeName(item));
}

function valueAt(claims: JsonObject, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
