import { type BearerHandler, json } from '../base/handler.ts';
import type { Collection } from './collections/collection.ts';
import { dateTime } from './date-time.ts';
import { ownerOf, requireScopes } from './records/caller.ts';
import type { RecordParts } from './records/parts.ts';

/** DELETE /api/consumer/v1/me: everything that is held about the caller goes, and the answer counts it. */
export function eraseAll(collections: readonly Collection[], parts: RecordParts): BearerHandler {
  const { store, registry, reads, erasures, forgetTokensOf, clock } = parts;
  return async (_input, principal) => {
    const owner = ownerOf(principal);
    requireScopes(collections, principal, 'write');
    const headers = reads.take(owner);
    // Its budgets go with the caller, so this is what keeps it from beginning anew all the time.
    erasures.take(owner);
    const erased = await store.erase(owner, null);
    if (erased !== null) registry.forget();
    forgetTokensOf(owner);
    const records = erased?.records ?? {};
    const total = Object.values(records).reduce((sum, count) => sum + count, 0);
    const idempotencyKeys = erased?.idempotencyKeys ?? 0;
    return json(
      { erased_at: dateTime(clock.now()), records, total, idempotency_keys: idempotencyKeys },
      { headers },
    );
  };
}
