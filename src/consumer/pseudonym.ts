import { createHmac, createSecretKey } from 'node:crypto';
import type { Caller, VerifiedClaims } from '../base/caller.ts';
import type { KeyedDigest } from '../base/keyed-digest.ts';

/** Null without a subject. */
type PseudonymOf = (claims: Pick<Caller, 'issuer' | 'subject'>) => string | null;

/**
 * The only name under which a caller is stored; it cannot be traced back without the key. Byte-exact, without case folding
 * or normalisation: two subjects never become one owner. Neither part contains NUL (auth/claims).
 */
export function createPseudonym(key: Uint8Array): PseudonymOf {
  const secretKey = createSecretKey(key);
  return ({ issuer, subject }) => {
    if (subject === null) return null;
    const digest = createHmac('sha256', secretKey).update(`${issuer}\0${subject}`).digest('base64url');
    return `usr_${digest}`;
  };
}

export type RevocationNames = ReturnType<typeof createRevocationNames>;

/** The names of revocations: keyed digests, so the database shows no session and a revocation outlives an erased caller. */
export function createRevocationNames(digest: KeyedDigest) {
  const name = (...parts: readonly string[]) => digest.of(...parts).toString('base64url');
  return {
    /** Names all tokens of a caller. */
    caller: (pseudonym: string) => name('caller', pseudonym),
    /** Names the tokens of a caller without a session: they may belong to any. */
    withoutSession: (pseudonym: string) => name('without session', pseudonym),
    session: (issuer: string, sessionId: string) => name('session', issuer, sessionId),
    /** The digest by which a used logout token is remembered. */
    document: (documentId: string) => digest.of('document', documentId),
    /** Names one token of this service, by its `jti`. */
    token: (tokenId: string) => name('token', tokenId),
  };
}

/**
 * Adds the values that need a key: the pseudonym and the digest of the session. `pseudonymIssuer` maps an issuer to its
 * former one. Returns `known`, the caller of an earlier token with this issuer and subject, if nothing else differs.
 */
export function createNameCaller(
  pseudonymKey: Uint8Array,
  names: RevocationNames,
  pseudonymIssuer: (issuer: string) => string,
) {
  const pseudonymOf = createPseudonym(pseudonymKey);
  return (claims: VerifiedClaims, known?: Caller): Caller => {
    const { kind, issuer, subject, audience, scopes, credentialId, boundTo, sessionId } = claims;
    const namedBy = pseudonymIssuer(issuer);
    const session = sessionId === null ? null : names.session(namedBy, sessionId);
    const isKnown =
      known !== undefined &&
      known.issuer === issuer &&
      known.subject === subject &&
      known.kind === kind &&
      known.audience === audience &&
      known.credentialId === credentialId &&
      known.boundTo === boundTo &&
      known.session === session &&
      known.scopes.length === scopes.length &&
      known.scopes.every((scope, index) => scope === scopes[index]);
    if (isKnown) return known;
    const id = pseudonymOf({ issuer: namedBy, subject });
    return { id, kind, issuer, subject, audience, scopes, credentialId, boundTo, session };
  };
}
