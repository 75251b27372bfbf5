import { type KeySet, readKeySet } from '../../src/auth/key-set.ts';

/** The usable keys of a JWKS document that is known to have some. */
export function usableKeys(document: unknown, algorithms: readonly string[] = ['RS256']): KeySet {
  const set = readKeySet(document, algorithms);
  if (typeof set === 'string') throw new Error(set);
  return set;
}
