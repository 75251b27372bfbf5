import type { BatchKeys, IdempotencyKeyName, OwnerInCollection, RecordName } from '../../../storage/port.ts';
import type { WriteRules } from './decide.ts';
import type { Operation } from './operation.ts';

const hourMs = 3_600_000;

/** Everything that a batch names, so that it can be loaded at once. */
export function keysOf(
  operations: readonly Operation[],
  { newcomersPerHour, formerOf }: WriteRules,
): BatchKeys {
  const consumers = new Set(operations.map(({ caller }) => caller.id));
  const usage = new Map<string, OwnerInCollection>();
  const records = new Map<string, RecordName>();
  const idempotencyKeys: IdempotencyKeyName[] = [];
  for (const { caller, change } of operations) {
    if (change.kind === 'register') continue;
    const { collection, id } = change;
    usage.set(`${caller.id} ${collection}`, { owner: caller.id, collection });
    if (change.kind !== 'create') records.set(`${collection} ${id}`, { collection, id });
    else if (change.key !== null)
      idempotencyKeys.push({ owner: caller.id, collection, keyDigest: change.key.keyDigest });
  }
  const latest = Math.max(...operations.map(({ now }) => now));
  const hasPeople = operations.some(({ caller, change }) => !caller.isMachine && change.kind !== 'register');
  return {
    consumers: [...consumers].map((id) => ({ id, former: () => formerOf(id) })),
    usage: [...usage.values()],
    records: [...records.values()],
    idempotencyKeys,
    newcomers:
      newcomersPerHour > 0 && hasPeople ? { since: latest - hourMs, atMost: newcomersPerHour + 1 } : null,
  };
}
