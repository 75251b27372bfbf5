import { type BearerHandler, json } from '../base/handler.ts';
import { dateTime } from './date-time.ts';
import { ownerOf } from './records/caller.ts';
import type { RecordParts } from './records/parts.ts';

/** DELETE /api/consumer/v1/me: everything that is held about the caller goes, and the answer counts it. */
export function eraseAll({ store, registry, reads, clock }: RecordParts): BearerHandler {
  return async (_input, principal) => {
    const owner = ownerOf(principal);
    // Its budgets go with the caller, so this is what keeps it from beginning anew all the time.
    const headers = reads.take(owner);
    const erased = await store.erase(owner, null);
    registry.forget();
    const records = erased?.records ?? {};
    const total = Object.values(records).reduce((sum, count) => sum + count, 0);
    const idempotencyKeys = erased?.idempotencyKeys ?? 0;
    return json(
      { erased_at: dateTime(clock.now()), records, total, idempotency_keys: idempotencyKeys },
      { headers },
    );
  };
}
