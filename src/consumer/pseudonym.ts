import { createHmac, createSecretKey } from 'node:crypto';
import type { Principal } from '../base/principal.ts';
import { RecentMap } from '../base/recent-map.ts';

/** Null when the token names nobody. */
export type PseudonymOf = (claimant: Pick<Principal, 'issuer' | 'subject'>) => string | null;

/** How many callers' names are remembered: people come back with new tokens, and a keyed hash is dear. */
const mostRemembered = 50_000;

/**
 * The only name under which anything about a caller is kept. Without the key it leads back to nobody, not even by
 * hashing every subject there is. Byte-exact: no case folding and no normalisation, so that two subjects never
 * become one owner; neither part can contain NUL (auth/claims refuses it).
 */
export function createPseudonym(key: Uint8Array): PseudonymOf {
  const secretKey = createSecretKey(key);
  const remembered = new RecentMap<string, string>(mostRemembered);
  return ({ issuer, subject }) => {
    if (subject === null) return null;
    const fullName = `${issuer}\0${subject}`;
    const known = remembered.get(fullName);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', secretKey).update(fullName).digest('base64url');
    const pseudonym = `usr_${digest}`;
    remembered.set(fullName, pseudonym);
    return pseudonym;
  };
}
