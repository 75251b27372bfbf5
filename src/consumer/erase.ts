import { type BearerHandler, json } from '../base/handler.ts';
import type { Collection } from './collections/collection.ts';
import { dateTime } from './date-time.ts';
import { ownerOf, requireScopes } from './records/caller-access.ts';
import type { RecordParts } from './records/parts.ts';
import { budgetsOfErased, formerName } from './records/spent-budgets.ts';

/**
 * DELETE /api/consumer/v1/me: everything that is held about the caller goes, and the answer counts it. What it had spent
 * of its budgets stays for a while, under a name that leads back to nobody: it is no way to new ones.
 */
export function eraseAll(collections: readonly Collection[], parts: RecordParts): BearerHandler {
  const { store, registry, reads, erasures, forgetTokensOf, digest, clock } = parts;
  return async (_input, caller) => {
    const owner = ownerOf(caller);
    requireScopes(collections, caller, 'write');
    const headers = reads.take(owner);
    // Every time it is a lot of work for the database.
    erasures.take(owner);
    const now = clock.now();
    const budgets = budgetsOfErased(collections, formerName(digest, owner), now);
    const erased = await store.erase(owner, null, budgets);
    if (erased !== null) registry.forget();
    forgetTokensOf(owner);
    const records = erased?.records ?? {};
    const total = Object.values(records).reduce((sum, count) => sum + count, 0);
    const keptUntil = erased?.budgetsKeptUntil ?? null;
    return json(
      {
        erased_at: dateTime(now),
        records,
        total,
        idempotency_keys: erased?.idempotencyKeys ?? 0,
        budgets_kept_until: keptUntil === null ? null : dateTime(keptUntil),
      },
      { headers },
    );
  };
}
