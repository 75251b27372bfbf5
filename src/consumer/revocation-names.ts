import type { KeyedDigest } from '../base/keyed-digest.ts';

export type RevocationNames = ReturnType<typeof createRevocationNames>;

/**
 * The names of revocations. Each is a keyed digest: the database shows no session and no erased caller, and a revocation
 * can stay when its caller is erased.
 */
export function createRevocationNames(digest: KeyedDigest) {
  const name = (...parts: readonly string[]) => digest.of(...parts).toString('base64url');
  return {
    /** All tokens of a caller. */
    caller: (pseudonym: string) => name('caller', pseudonym),
    /** The tokens of a caller that name no session: they may belong to any. */
    withoutSession: (pseudonym: string) => name('without session', pseudonym),
    session: (issuer: string, sessionId: string) => name('session', issuer, sessionId),
    /** The digest by which a used logout token is remembered. */
    document: (documentId: string) => digest.of('document', documentId),
    /** One token of ours, by its `jti`. */
    token: (tokenId: string) => name('token', tokenId),
  };
}
