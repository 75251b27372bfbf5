import {
  hasExpired,
  isUsableName,
  namedAudience,
  type TokenTimes,
  type VerifiedClaims,
} from '../base/caller.ts';
import { clockToleranceSeconds } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { ClaimPath, RequiredClaims } from '../base/provider-rules.ts';
import { isScopeName, readScopes, requireScopes } from '../base/scopes.ts';
import { isJsonObject, type JsonObject } from '../base/strict-json.ts';
import { isMarkedClient, isMarkedIdToken } from './provider-marks.ts';
import { type RunStep, untraced } from './trace.ts';

/** Whether tokens bound to a key by DPoP (`cnf.jkt`, RFC 9449 section 6) are refused, accepted or required. */
type DpopPolicy = 'off' | 'on' | 'required';

export interface ClaimsPolicy {
  /** The exact values of `iss`. */
  readonly issuers: readonly string[];
  /** The token must name one of these; null accepts any audience. */
  readonly audiences: readonly string[] | null;
  /** The claim with the audience: `aud`, or the substitute of a provider without `aud`. */
  readonly audienceClaim: string;
  readonly requiredClaims: RequiredClaims;
  /** True if access tokens may carry a `nonce`. Then `requiredClaims` tell them from ID tokens. */
  readonly allowsNonce: boolean;
  readonly requiredScopes: readonly string[];
  /** The claims that grant scopes, each as a path of names. */
  readonly scopesFrom: readonly ClaimPath[];
  /** Maximum lifetime, from `iat` to `exp`; null for no limit. */
  readonly maxLifetimeSeconds: number | null;
  /** Every token of this issuer speaks for a machine client. */
  readonly clientsOnly: boolean;
  readonly dpop: DpopPolicy;
}

/** Checks the claims of a token. Pure: the time is passed in. */
export function checkClaims(
  claims: JsonObject,
  policy: ClaimsPolicy,
  nowSeconds: number,
  run: RunStep = untraced,
): VerifiedClaims {
  const issuer = run('issuer', () => checkIssuer(claims, policy), '');
  run('purpose', () => checkPurpose(claims, policy), undefined);
  const boundTo = run('binding', () => readBinding(claims, policy.dpop), null);
  const times = run('times', () => readTimes(claims), noTimes);
  run('times', () => checkTimes(times, nowSeconds), undefined);
  run('times', () => checkLifetime(times, policy.maxLifetimeSeconds), undefined);
  run('use', () => checkRequired(claims, policy.requiredClaims), undefined);
  const audience = run('audience', () => checkAudience(claims[policy.audienceClaim], policy.audiences), null);
  const subject = run('subject', () => readSubject(claims), null);
  const scopes = grantedScopes(claims, policy.scopesFrom);
  run('scopes', () => requireScopes(policy.requiredScopes, scopes), undefined);
  const credentialId = policy.clientsOnly ? run('credentials', () => credentialOf(claims), null) : null;
  return {
    kind: policy.clientsOnly || isClient(claims, subject) ? 'client' : 'user',
    issuer,
    subject,
    audience,
    scopes,
    times,
    credentialId,
    boundTo,
    // An unusable `sid` counts as none: such a token ends with every session of its subject.
    sessionId: isUsableName(claims.sid) ? claims.sid : null,
    tokenId: credentialId === null ? null : (claims.jti as string),
  };
}

function checkIssuer({ iss }: JsonObject, { issuers }: ClaimsPolicy): string {
  // Keeps the policy's string, not the token's copy, because every cached token refers to it.
  const known = issuers.find((issuer) => issuer === iss);
  if (known === undefined) throw new Refusal('issuer_mismatch');
  return known;
}

const idTokenClaims = ['at_hash', 'c_hash', 's_hash'];

/**
 * Refuses other tokens that the provider signs with the same key. A `nonce` means an ID token, except that older Keycloaks
 * copy it into access tokens, with a `typ` claim of "Bearer".
 */
function checkPurpose(claims: JsonObject, { allowsNonce }: ClaimsPolicy): void {
  const statedType = claims.typ;
  const isOtherType = typeof statedType === 'string' && /^(id|refresh|offline|logout)$/i.test(statedType);
  const isIdToken = idTokenClaims.some((name) => Object.hasOwn(claims, name)) || isMarkedIdToken(claims);
  const hasForeignNonce = Object.hasOwn(claims, 'nonce') && statedType !== 'Bearer' && !allowsNonce;
  const isEventToken = Object.hasOwn(claims, 'events');
  if (isOtherType || isIdToken || hasForeignNonce || isEventToken)
    throw new Refusal('token_type_not_allowed');
}

/** A SHA-256 in base64url. */
const thumbprintForm = /^[A-Za-z0-9_-]{43}$/;

/** The thumbprint of the key that a token is bound to; null for a bearer token. Other forms of `cnf` (RFC 7800) are refused. */
function readBinding({ cnf }: JsonObject, dpop: DpopPolicy): string | null {
  if (cnf === undefined) {
    if (dpop === 'required') throw new Refusal('proof_required');
    return null;
  }
  const { jkt, ...others } = isJsonObject(cnf) ? cnf : {};
  const isUsable = typeof jkt === 'string' && thumbprintForm.test(jkt) && Object.keys(others).length === 0;
  if (dpop === 'off' || !isUsable) throw new Refusal('token_bound');
  return jkt;
}

const noTimes: TokenTimes = { expiresAtSeconds: 0, notBeforeSeconds: null, issuedAtSeconds: null };

function readTimes(claims: JsonObject): TokenTimes {
  const expiresAtSeconds = optionalTime(claims, 'exp');
  if (expiresAtSeconds === null) throw new Refusal('expiry_missing');
  return {
    expiresAtSeconds,
    notBeforeSeconds: optionalTime(claims, 'nbf'),
    issuedAtSeconds: optionalTime(claims, 'iat'),
  };
}

/** The end of the year 9999, the last year that a date can show. */
const latestTimeSeconds = 253_402_300_799;

function optionalTime(claims: JsonObject, name: string): number | null {
  const value = claims[name];
  if (value === undefined) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= latestTimeSeconds))
    throw new Refusal('claim_invalid');
  return value;
}

/** Also checks cached tokens: they expire, and clocks are set back. */
export function checkTimes(times: TokenTimes, nowSeconds: number): void {
  const { notBeforeSeconds, issuedAtSeconds } = times;
  if (hasExpired(times, nowSeconds)) throw new Refusal('token_expired');
  const latestStart = nowSeconds + clockToleranceSeconds;
  if ((notBeforeSeconds ?? 0) > latestStart || (issuedAtSeconds ?? 0) > latestStart)
    throw new Refusal('token_not_yet_valid');
}

/** A token without `iat` has an unknown lifetime, which counts as too long. */
function checkLifetime({ expiresAtSeconds, issuedAtSeconds }: TokenTimes, maxSeconds: number | null): void {
  if (maxSeconds === null) return;
  if (issuedAtSeconds === null || expiresAtSeconds - issuedAtSeconds > maxSeconds)
    throw new Refusal('token_lifetime_too_long');
}

/** Claims that tell the access tokens of a provider from its other tokens. */
function checkRequired(claims: JsonObject, required: RequiredClaims): void {
  for (const name in required) {
    const wanted = required[name];
    const isThere = wanted === true ? Object.hasOwn(claims, name) : claims[name] === wanted;
    if (!isThere) throw new Refusal('token_type_not_allowed');
  }
}

function checkAudience(claim: unknown, audiences: readonly string[] | null): string | null {
  if (audiences === null) return null;
  const ours = namedAudience(claim, audiences);
  if (ours === undefined) throw new Refusal('audience_mismatch');
  return ours;
}

/** Nothing replaces a missing subject: `client_id` and `azp` name a program, and all its users would become one caller. */
function readSubject({ sub: value }: JsonObject): string | null {
  if (value === undefined) return null;
  if (!isUsableName(value)) throw new Refusal('subject_invalid');
  return value;
}

const none: readonly string[] = [];

/** All scopes that the claims grant. A claim that is not a list of scopes grants none. */
function grantedScopes(claims: JsonObject, from: readonly ClaimPath[]): readonly string[] {
  const granted = from.map((path) => scopesAt(claims, path)).filter((scopes) => scopes.length > 0);
  return granted.length > 1 ? [...new Set(granted.flat())] : (granted[0] ?? none);
}

/** A string or, except for `scope` (RFC 9068), a list. Items that cannot be scopes are left out. */
function scopesAt(claims: JsonObject, path: readonly string[]): readonly string[] {
  let value: unknown = claims;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return none;
    value = value[name];
  }
  if (typeof value === 'string') return readScopes(value) ?? none;
  if (!Array.isArray(value) || (path.length === 1 && path[0] === 'scope')) return none;
  return value.filter((item) => typeof item === 'string' && isScopeName(item));
}

/** A token without a subject belongs to no user. */
function isClient(claims: JsonObject, subject: string | null): boolean {
  return subject === null || isMarkedClient(claims, subject);
}

/** The `jti` of a token of this service begins with the id of the credentials that it was issued for. */
function credentialOf({ jti }: JsonObject): string | null {
  const name = typeof jti === 'string' ? jti.split('.', 1)[0] : '';
  if (!name) throw new Refusal('claim_invalid');
  return name;
}
