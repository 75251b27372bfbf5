import type { KeyedDigest } from '../../base/keyed-digest.ts';
import type { Collection } from '../../collections/collection.ts';
import type { ErasedBudgets } from '../../storage/port.ts';
import { spentUntil } from './budgets.ts';

/**
 * The name under which it is kept what an erased caller had spent. The pseudonym leads to it only with the master
 * secret, and it leads back to nobody.
 */
export function formerName(digest: KeyedDigest, id: string): Uint8Array {
  return digest.of('erased', id);
}

/** Who erases itself and comes back goes on with what it had spent, until the windows of its budgets end. */
export function budgetsOfErased(
  collections: readonly Collection[],
  former: Uint8Array,
  now: number,
): ErasedBudgets {
  const limitsOf = new Map(collections.map(({ name, limits }) => [name, limits]));
  return {
    former,
    endOf(collection, usage) {
      const limits = limitsOf.get(collection);
      return limits === undefined ? null : spentUntil(limits, usage, now);
    },
  };
}
