import { clockToleranceSeconds } from './clock.ts';

/** The times that a token carries, in seconds since 1970. */
export interface TokenTimes {
  readonly expiresAtSeconds: number;
  readonly notBeforeSeconds: number | null;
  readonly issuedAtSeconds: number | null;
}

/** Wherever it is asked: who is let in with a token is not sent away at once because of its time. */
export function hasExpired({ expiresAtSeconds }: TokenTimes, nowSeconds: number): boolean {
  return expiresAtSeconds <= nowSeconds - clockToleranceSeconds;
}

/**
 * Stands for the keys of a client of ours where the id of a secret would stand, and says which client by the moment it
 * was added: one of the same name that was added at another moment is another client.
 */
export function keyCredential(clientCreatedAt: number): string {
  return `key-${clientCreatedAt.toString(36)}`;
}

/** The DPoP proof with which a request was proven: what it takes to refuse the same proof a second time, and no more of it. */
export interface UsedProof {
  /** Of the key and the `jti`, so that nobody uses up the proofs of another key. */
  readonly digest: Uint8Array;
  /** When the proof is too old to be accepted anyway, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The keys that a token was verified with, or what its provider has said of it. The token counts only while they are the same. */
export interface Verification {
  readonly keys: { readonly generation: number | null };
  /** Null for a token that was verified with the first keys there were: nobody knows whether they are those of now. */
  readonly generation: number | null;
}

export function isCurrent({ keys, generation }: Verification): boolean {
  return generation !== null && keys.generation === generation;
}

/** Who a verified token speaks for. Built in `auth/` from a token whose signature holds, and nowhere else. */
export interface Caller {
  /** The pseudonym: the only name under which anything is kept; null for a token without a subject. */
  readonly id: string | null;
  readonly kind: 'user' | 'client';
  readonly issuer: string;
  /** The token's `sub`, or null when it has none. */
  readonly subject: string | null;
  /** For whom of those that a policy names the token is; null where a policy takes tokens for anybody, as the service never does. */
  readonly audience: string | null;
  readonly scopes: readonly string[];
  readonly times: TokenTimes;
  /** For which of the credentials of a client of ours the token was issued; null for tokens of the provider. */
  readonly credentialId: string | null;
  /** The thumbprint of the key that the token is bound to (DPoP, RFC 9449); null for a plain bearer token. */
  readonly boundTo: string | null;
  /** A keyed digest of the issuer and the session (`sid`) that the token names; null when it names none. */
  readonly session: string | null;
  /** The `jti` of a token of ours; null for tokens of the provider. */
  readonly tokenId: string | null;
  readonly verification: Verification;
}

/** The same by the claims alone, apart from what takes a key to name (the pseudonym, and the session) and from what verified them. */
export type VerifiedClaims = Omit<Caller, 'id' | 'session' | 'verification'> & {
  /** The token's `sid`, or null when it has none. */
  readonly sessionId: string | null;
};

const dpopScheme = /^dpop(?:\s|$)/i;

/** True if the credentials are of the scheme of RFC 9449, well-formed or not. */
export function isDpop(authorization: string | undefined): authorization is string {
  return authorization?.startsWith('Bearer ') === false && dpopScheme.test(authorization);
}
