import type { KeyedDigest } from './records/keyed-digest.ts';

export type RevocationNames = ReturnType<typeof createRevocationNames>;

/**
 * What tokens that were taken back go by. Every name is a keyed digest, so that neither a session nor anybody who was
 * erased can be read from what is kept, and a caller who was erased stays signed out with the tokens of before.
 */
export function createRevocationNames(digest: KeyedDigest) {
  const name = (...parts: readonly string[]) => digest.of(...parts).toString('base64url');
  return {
    /** All tokens of a caller. */
    caller: (pseudonym: string) => name('caller', pseudonym),
    /** Those of them that do not say of which session they are: they may be of any. */
    withoutSession: (pseudonym: string) => name('without session', pseudonym),
    session: (issuer: string, sessionId: string) => name('session', issuer, sessionId),
    /** What the id of a document that took tokens back is remembered under. */
    document: (documentId: string) => digest.of('document', documentId),
    /** One token of ours, by its `jti`. */
    token: (tokenId: string) => name('token', tokenId),
  };
}
