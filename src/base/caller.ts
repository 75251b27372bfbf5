import { clockToleranceSeconds } from './clock.ts';

export interface TokenTimes {
  readonly expiresAtSeconds: number;
  readonly notBeforeSeconds: number | null;
  readonly issuedAtSeconds: number | null;
}

export function hasExpired({ expiresAtSeconds }: TokenTimes, nowSeconds: number): boolean {
  return expiresAtSeconds <= nowSeconds - clockToleranceSeconds;
}

/** The credential id of a client with public keys. A client of the same name that was added later has another one. */
export function keyCredential(clientCreatedAt: number): string {
  return `key-${clientCreatedAt.toString(36)}`;
}

/** An accepted DPoP proof: the data to refuse it a second time. */
export interface UsedProof {
  /** A digest of the key and the `jti`, so that one key cannot use up the proofs of another. */
  readonly digest: Uint8Array;
  /** When the proof is too old to be accepted, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The keys that a token was verified with. The token is cached only while they are current. */
export interface Verification {
  readonly keys: { readonly generation: number | null };
  /** Null if there were no usable keys when the key was looked for. */
  readonly generation: number | null;
}

export function isCurrent({ keys, generation }: Verification): boolean {
  return generation !== null && keys.generation === generation;
}

/** The caller of a verified token. Tokens of one caller that say the same share one object (auth/authenticate). */
export interface Caller {
  /** The pseudonym: the only name under which data is stored; null for a token without a subject. */
  readonly id: string | null;
  readonly kind: 'user' | 'client';
  readonly issuer: string;
  /** The token's `sub`, or null when it has none. */
  readonly subject: string | null;
  /** The accepted audience that the token names; null without an audience policy, which only `@vestibule/verify` allows. */
  readonly audience: string | null;
  readonly scopes: readonly string[];
  /** The credentials that a token of this service was issued for; null for tokens of a provider. */
  readonly credentialId: string | null;
  /** The thumbprint of the key that the token is bound to (DPoP, RFC 9449); null for a plain bearer token. */
  readonly boundTo: string | null;
  /** A keyed digest of the issuer and the session (`sid`) that the token names; null when it names none. */
  readonly session: string | null;
}

/** A token whose signature holds: its caller, and what differs between the tokens of one caller. */
export interface VerifiedToken<Who = Caller> extends TokenTimes, Verification {
  readonly caller: Who;
  /** The `jti` of a token of this service; null for tokens of a provider. */
  readonly tokenId: string | null;
}

/** The caller by its claims alone, without the keyed digests (pseudonym, session). */
export type VerifiedClaims = Omit<Caller, 'id' | 'session'> & {
  readonly times: TokenTimes;
  /** The token's `sid`, or null when it has none. */
  readonly sessionId: string | null;
  readonly tokenId: string | null;
};

const dpopScheme = /^dpop(?:\s|$)/i;

/** True for an `Authorization` of the scheme DPoP (RFC 9449), well-formed or not. */
export function isDpop(authorization: string | undefined): authorization is string {
  return authorization?.startsWith('Bearer ') === false && dpopScheme.test(authorization);
}

/** The first of these audiences that an `aud` claim names (RFC 7519 section 4.1.3). */
export function namedAudience(claim: unknown, audiences: readonly string[]): string | undefined {
  const named = Array.isArray(claim) ? claim : [claim];
  const allTexts = named.every((entry) => typeof entry === 'string');
  return allTexts ? audiences.find((audience) => named.includes(audience)) : undefined;
}

/** NUL separates the parts of a pseudonym, and all lone surrogates encode alike: either would make one owner of two subjects. */
export function isUsableName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed();
}

/** Where a request came from. Used for limits only; never stored. */
export interface RequestOrigin {
  readonly address: string;
  /** True if many requests from this address were refused in the last minute. */
  isSuspect(): boolean;
}

/** Added to the lifetime of a revocation: a token is accepted for a few seconds past its `exp`, and clocks differ. */
const slackMs = 60_000;

/** Revokes tokens that were issued up to a time (ms since 1970). Kept until the last has expired, after at most `lifeMs`. */
export function revocationOf(name: string, until: number, lifeMs: number) {
  const issuedUntil = Math.floor(until);
  return { name, issuedUntil, forgetAt: issuedUntil + lifeMs + slackMs };
}
