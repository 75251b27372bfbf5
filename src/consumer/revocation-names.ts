import type { KeyedDigest } from '../base/keyed-digest.ts';

export type RevocationNames = ReturnType<typeof createRevocationNames>;

/**
 * What tokens that were taken back go by. Every name is a keyed digest, so that neither a session nor anybody who was
 * erased can be read from what is kept, and a caller who was erased stays signed out with the tokens of before.
 */
export function createRevocationNames(digest: KeyedDigest) {
  const name = (...parts: readonly string[]) => digest.of(...parts).toString('base64url');
  /** As few as there are in the settings, and asked for with every token. */
  const issuers = new Map<string, string>();
  return {
    /** All tokens of a caller. */
    caller: (pseudonym: string) => name('caller', pseudonym),
    /** Those of them that do not say of which session they are: they may be of any. */
    withoutSession: (pseudonym: string) => name('without session', pseudonym),
    /** All tokens of an issuer. */
    issuer(issuer: string): string {
      const known = issuers.get(issuer) ?? name('issuer', issuer);
      issuers.set(issuer, known);
      return known;
    },
    session: (issuer: string, sessionId: string) => name('session', issuer, sessionId),
    /** The digest by which a used logout token is remembered. */
    document: (documentId: string) => digest.of('document', documentId),
    /** One token of ours, by its `jti`. */
    token: (tokenId: string) => name('token', tokenId),
  };
}
