import type { VerifiedClaims } from '../base/caller.ts';
import { isUsableName, namedAudience } from '../base/claim-values.ts';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { ClaimPath, RequiredClaims } from '../base/provider-rules.ts';
import { requireScopes } from '../base/scopes.ts';
import { grantedScopes } from './granted-scopes.ts';
import { isMarkedClient, isMarkedIdToken } from './provider-marks.ts';
import { type DpopPolicy, readBinding } from './token-binding.ts';
import { checkLifetime, checkTimes, noTimes, readTimes } from './token-times.ts';
import { type RunStep, untraced } from './trace.ts';

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
  readonly dpop: DpopPolicy;
}

/** Checks the claims of a token one after the other. Pure: the time is passed in. */
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
    sessionId: readSession(claims),
    tokenId: credentialId === null ? null : (claims.jti as string),
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
  const isEventToken = Object.hasOwn(claims, 'events');
  if (isOtherType || isIdToken || hasForeignNonce || isEventToken)
    throw new Refusal('token_type_not_allowed');
}

/** What a provider says only in some of the tokens that it signs with the same key. */
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

/**
 * Nothing stands in for a missing subject: `client_id` and `azp` name a program, and all people behind it would become
 * one caller.
 */
function readSubject({ sub: value }: JsonObject): string | null {
  if (value === undefined) return null;
  if (!isUsableName(value)) throw new Refusal('subject_invalid');
  return value;
}

/** A token without a subject has nobody behind it. */
function isClient(claims: JsonObject, subject: string | null): boolean {
  return subject === null || isMarkedClient(claims, subject);
}

/** Our own tokens begin their `jti` with the name of the credentials that they were issued for. */
function credentialOf({ jti }: JsonObject): string | null {
  const name = typeof jti === 'string' ? jti.split('.', 1)[0] : '';
  if (!name) throw new Refusal('claim_invalid');
  return name;
}

/** What is no usable name of a session is none: such a token ends with every session of its subject. */
function readSession({ sid }: JsonObject): string | null {
  return isUsableName(sid) ? sid : null;
}
