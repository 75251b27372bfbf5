import { dateTime } from '../base/date-time.ts';
import { type BearerHandler, json } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import * as schema from '../openapi/schemas.ts';
import { ownerOf } from '../records/caller-access.ts';
import { asOfNow, type Budget, newcomerBudget, unused, writeBudget } from '../records/rules/budgets.ts';
import type { Usage } from '../storage/port.ts';
import type { ConsumerParts } from './handler-parts.ts';

/** GET /me/usage: the caller's budgets and quotas with their use, for each collection. */
export function usage(collections: readonly Collection[], parts: ConsumerParts): BearerHandler {
  const { store, registry, reads, clock } = parts;
  return async (input, caller) => {
    const owner = ownerOf(caller);
    const headers = reads.take(owner);
    const known = await registry.register(caller, input.proof);
    const used = await store.usage(owner);
    const now = clock.now();
    const registeredAt = known?.registeredAt ?? now;
    const lines = collections.map((collection) =>
      describe(collection, used.get(collection.name) ?? unused, { registeredAt, now }),
    );
    return json({ collections: lines }, { headers });
  };
}

function describe(
  { name, limits }: Collection,
  counted: Usage,
  writer: { readonly registeredAt: number; readonly now: number },
) {
  const usage = asOfNow(limits, counted, writer.now);
  const newcomer = newcomerBudget(limits, usage, writer);
  const until = writer.registeredAt + (limits.newcomer?.forMs ?? 0);
  return {
    name,
    records: { used: usage.records, allowed: limits.perUser },
    writes: describeBudget(writeBudget(limits, usage, writer.now)),
    newcomer: newcomer === null ? null : { ...describeBudget(newcomer), until: dateTime(until) },
  };
}

function describeBudget({ used, allowed, windowMs, resetsAt }: Budget) {
  return { used, allowed, window_seconds: windowMs / 1000, resets_at: dateTime(resetsAt) };
}

export function describeUsage(): Description {
  const { object, count, text } = schema;
  const allowed = { used: count, allowed: count };
  const window = { ...allowed, window_seconds: count, resets_at: schema.dateTime };
  const newcomer = {
    anyOf: [object({ ...window, until: schema.dateTime }), { type: 'null' }],
    description: 'Null for a caller that is not new.',
  };
  const line = object({ name: text, records: object(allowed), writes: object(window), newcomer });
  const used = object({ collections: schema.listOf(line) });
  return {
    name: 'readUsage',
    tag: tags.caller,
    summary: 'Read the limits of the caller and their use',
    answers: answersJson('Used and allowed, for each collection.', used),
    budget: 'reads',
  };
}
