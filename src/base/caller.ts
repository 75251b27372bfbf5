/** The times that a token carries, in seconds since 1970. */
export interface TokenTimes {
  readonly expiresAtSeconds: number;
  readonly notBeforeSeconds: number | null;
  readonly issuedAtSeconds: number | null;
}

/**
 * Stands for the keys of a client of ours where the id of a secret would stand, and says which client by the moment it
 * was added: one of the same name that was added at another moment is another client.
 */
export function keyCredential(clientCreatedAt: number): string {
  return `key-${clientCreatedAt.toString(36)}`;
}

/** Who a verified token speaks for. Built in `auth/` from a token whose signature holds, and nowhere else. */
export interface Caller {
  /** The pseudonym: the only name under which anything is kept; null for a token without a subject. */
  readonly id: string | null;
  readonly kind: 'user' | 'client';
  readonly issuer: string;
  /** The token's `sub`, or null when it has none. */
  readonly subject: string | null;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly times: TokenTimes;
  /** For which of the credentials of a client of ours the token was issued; null for tokens of the provider. */
  readonly credentialId: string | null;
}
