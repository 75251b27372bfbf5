import { createHmac, createSecretKey } from 'node:crypto';
import type { Caller } from '../base/caller.ts';

/** Null when the token names nobody. */
type PseudonymOf = (claims: Pick<Caller, 'issuer' | 'subject'>) => string | null;

/**
 * The only name under which anything about a caller is kept. Without the key it leads back to nobody, not even by
 * hashing every subject there is. Byte-exact: no case folding and no normalisation, so that two subjects never
 * become one owner; neither part can contain NUL (auth/claims refuses it). No subject is remembered here: the token
 * cache has the pseudonym as long as the token lives.
 */
export function createPseudonym(key: Uint8Array): PseudonymOf {
  const secretKey = createSecretKey(key);
  return ({ issuer, subject }) => {
    if (subject === null) return null;
    const digest = createHmac('sha256', secretKey).update(`${issuer}\0${subject}`).digest('base64url');
    return `usr_${digest}`;
  };
}
