import type { Caller, TokenTimes } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import { readScopes, requireScopes } from '../base/scopes.ts';

export const clockToleranceSeconds = 5;

/** What a token of one issuer must say. */
export interface ClaimsPolicy {
  /** The exact values of `iss`. */
  readonly issuers: readonly string[];
  readonly audience: string;
  readonly requiredScopes: readonly string[];
  /** From `iat` to `exp`; null: as long as the issuer says. */
  readonly maxLifetimeSeconds: number | null;
  /** Every token of this issuer speaks for a machine client. */
  readonly clientsOnly: boolean;
}

/** Who a token speaks for, apart from the pseudonym. */
export type VerifiedClaims = Omit<Caller, 'id'>;

/** The claims of a token whose signature holds, checked one after the other. Pure: the time is passed in. */
export function checkClaims(claims: JsonObject, policy: ClaimsPolicy, nowSeconds: number): VerifiedClaims {
  const issuer = checkIssuer(claims, policy);
  checkPurpose(claims);
  checkUnbound(claims);
  const times = readTimes(claims);
  checkTimes(times, nowSeconds);
  checkLifetime(times, policy.maxLifetimeSeconds);
  checkAudience(claims, policy.audience);
  const subject = readSubject(claims);
  const scopes = grantedScopes(claims);
  requireScopes(policy.requiredScopes, scopes);
  return {
    kind: policy.clientsOnly || isClient(claims, subject) ? 'client' : 'user',
    issuer,
    subject,
    audience: policy.audience,
    scopes,
    times,
    credentialId: policy.clientsOnly ? credentialOf(claims) : null,
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
function checkPurpose(claims: JsonObject): void {
  const statedType = claims.typ;
  const isOtherType = typeof statedType === 'string' && /^(id|refresh|offline|logout)$/i.test(statedType);
  const isIdToken = idTokenClaims.some((name) => Object.hasOwn(claims, name));
  const hasForeignNonce = Object.hasOwn(claims, 'nonce') && statedType !== 'Bearer';
  const isSecurityEvent = Object.hasOwn(claims, 'events');
  if (isOtherType || isIdToken || hasForeignNonce || isSecurityEvent)
    throw new Refusal('token_type_not_allowed');
}

/** RFC 7800: a token with `cnf`, whatever is in it, is worth something only beside a proof that nobody asks for here. */
function checkUnbound({ cnf }: JsonObject): void {
  if (cnf !== undefined) throw new Refusal('token_bound');
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

function checkAudience({ aud }: JsonObject, audience: string): void {
  const audiences = Array.isArray(aud) ? aud : [aud];
  const allStrings = audiences.every((entry) => typeof entry === 'string');
  if (!allStrings || !audiences.includes(audience)) throw new Refusal('audience_mismatch');
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

/**
 * A token of the client-credentials grant has nobody behind it: no subject, or the client as its own subject
 * (RFC 9068 section 2.2); Auth0 says so in `gty`.
 */
function isClient(claims: JsonObject, subject: string | null): boolean {
  const { client_id: clientId, azp, gty } = claims;
  return subject === null || subject === clientId || subject === azp || gty === 'client-credentials';
}

/** Our own tokens begin their `jti` with the name of the credentials that they were issued for. */
function credentialOf({ jti }: JsonObject): string {
  const name = typeof jti === 'string' ? jti.split('.', 1)[0] : '';
  if (!name) throw new Refusal('claim_invalid');
  return name;
}

/** What is no list of scopes grants nothing. */
function grantedScopes({ scope }: JsonObject): readonly string[] {
  return (typeof scope === 'string' ? readScopes(scope) : null) ?? [];
}
