import { dateTime } from '../base/date-time.ts';
import { type BearerHandler, json } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { eventOfErasure } from '../events/catalogue.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import * as schema from '../openapi/schemas.ts';
import { ownerOf, requireScopesOf } from '../records/caller-access.ts';
import { budgetsOfErased, formerName } from '../records/rules/budgets.ts';
import type { ConsumerParts } from './handler-parts.ts';

/** DELETE /me: erases all data of the caller. Spent budgets stay under a digest, so that erasing does not renew them. */
export function eraseAll(collections: readonly Collection[], parts: ConsumerParts): BearerHandler {
  const { store, registry, reads, erasures, forgetTokensOf, digest, clock } = parts;
  return async (input, caller) => {
    const owner = ownerOf(caller);
    requireScopesOf(collections, caller, 'write');
    const headers = reads.take(owner);
    // Erasing is expensive for the database.
    erasures.take(owner);
    const now = clock.now();
    const budgets = budgetsOfErased(collections, formerName(digest, owner), now);
    const erased = await store.erase(owner, null, eventOfErasure(owner, now), budgets, input.proof);
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

export function describeErasure(): Description {
  const { count } = schema;
  const receipt = schema.object({
    erased_at: schema.dateTime,
    records: schema.mapOf(count, 'The number of records in each collection.'),
    total: count,
    idempotency_keys: count,
    budgets_kept_until: {
      anyOf: [schema.dateTime, { type: 'null' }],
      description:
        'Until then the spent budgets of the caller are stored under a keyed digest that cannot be traced back; null if none are stored.',
    },
  });
  return {
    name: 'eraseMe',
    tag: tags.caller,
    summary: 'Erase all data of the caller',
    description:
      'All records, counts and the caller itself, at once and permanently. The answer is the receipt.',
    answers: answersJson('What was erased.', receipt),
    budget: 'reads',
  };
}
