import type { AuditEntry } from './entities.ts';

/** Revokes the tokens of a name that were issued up to a time. Times are milliseconds since 1970. */
export interface Revocation {
  /** A keyed digest of a pseudonym, a session or the id of a token: see `consumer/revocation-names`. */
  readonly name: string;
  readonly issuedUntil: number;
  /** From this time all these tokens have expired, and the revocation can be deleted. */
  readonly forgetAt: number;
  /** The issuer whose limit it counts towards: the name of a provider, or our own issuer. Null for the operator's. */
  readonly issuer: string | null;
}

export interface StoredRevocation extends Revocation {
  /** Grows with every note, in the order in which they were committed. What is noted once more gets a new one. */
  readonly seq: number;
  /** The one it had before, if it was noted before. */
  readonly movedFrom: number | null;
}

/** A signed document that may be used once. */
export interface UsedDocument {
  readonly issuer: string;
  /** Of its id. */
  readonly digest: Uint8Array;
  readonly expiresAt: number;
}

export interface RevocationStore {
  /** Those that were noted after this one, oldest first; all of them after 0. */
  revocations(after: number): Promise<readonly StoredRevocation[]>;
  /**
   * Notes all of them, or none; of two with one name the later time counts, and nobody hears of what was noted before. Answers
   * with how many were not; null, and nothing is noted, when the document was used before, by any process.
   */
  revoke(
    revocations: readonly Revocation[],
    by: { readonly document: UsedDocument | null; readonly audit: AuditEntry | null },
  ): Promise<number | null>;
  /**
   * Forgets what nobody needs to know any more; what somebody is noting again just now is left for later. The newest note
   * stays, so that `seq` never goes back.
   */
  forgetRevocations(now: number): Promise<void>;
}
