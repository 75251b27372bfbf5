import type { KeyObject } from 'node:crypto';
import { admitKey, isAlarming, type KeyFault, type UsableKey } from './key-policy.ts';

/** More keys than any provider publishes; each one costs work to import. */
const maxKeys = 100;

export interface KeySet {
  readonly keys: readonly UsableKey[];
  /** The faults of published keys that must not be used. */
  readonly alarms: readonly KeyFault[];
  /** Equal for equal sets of usable keys and for no others. */
  readonly fingerprint: string;
  find(kid: string | undefined, algorithm: string): KeyObject | undefined;
}

/** Reads a JWKS document; returns a sentence if it has no usable key. */
export function readKeySet(document: unknown, algorithms: readonly string[]): KeySet | string {
  if (typeof document !== 'object' || document === null) return 'the answer is not a key set';
  const { keys } = document as { keys?: unknown };
  if (!Array.isArray(keys)) return 'the answer is not a key set';
  if (keys.length > maxKeys) return `the answer has ${keys.length} keys, and at most ${maxKeys} are accepted`;
  const judged = keys.map((key) => admitKey(key, algorithms));
  const admitted = judged.filter((verdict) => typeof verdict !== 'string');
  const faults = judged.filter((verdict) => typeof verdict === 'string');
  const byKid = Map.groupBy(keys, (key) => (key as { kid?: unknown } | null)?.kid);
  // Two keys with the same name are both unusable.
  const usable = admitted.filter(({ kid }) => kid === undefined || byKid.get(kid)?.length === 1);
  for (let index = usable.length; index < admitted.length; index += 1) faults.push('kid_duplicate');
  if (usable.length === 0)
    return `no key is usable: ${[...new Set(faults)].sort().join(', ') || 'the set is empty'}`;
  const fingerprint = usable
    .map((key) => key.fingerprint)
    .sort()
    .join('\n');
  return { keys: usable, alarms: faults.filter(isAlarming).sort(), fingerprint, find: finder(usable) };
}

function finder(keys: readonly UsableKey[]): KeySet['find'] {
  const byKid = new Map(keys.map((key) => [key.kid, key]));
  return (kid, algorithm) => {
    // A token without `kid` is accepted only if there is one key; keys are never tried in turn.
    const only = keys.length === 1 ? keys[0] : undefined;
    const named = kid === undefined ? only : byKid.get(kid);
    return named?.algorithms.includes(algorithm) ? named.key : undefined;
  };
}
