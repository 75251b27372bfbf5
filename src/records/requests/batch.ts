import type { Caller } from '../../base/caller.ts';
import { describe, Refusal } from '../../base/errors.ts';
import { type Answer, type BearerHandler, type Input, jsonText, recordId } from '../../base/handler.ts';
import { problemOf } from '../../base/problem.ts';
import { createRecordId } from '../../base/random.ts';
import { pointerTo } from '../../base/strict-json.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Lineage } from '../../collections/lineage.ts';
import type { RecordContext, StoredRecord } from '../../storage/port.ts';
import { CallerAccess, identityOf, requireScopesOf } from '../caller-access.ts';
import { type CountsOf, contextOf, countsForEach, etagOf, isExpired, present } from '../present.ts';
import {
  type BatchPart,
  batchName,
  type CallerBatch,
  type RecordChange,
  type RefusedPart,
  type WriteResult,
} from '../rules/operation.ts';
import { type AskedOperation, invalid, readOperations } from './batch-body.ts';
import { takesIds, takesInput, toAct, toCreate, toCreateUnder, toPatch, toRemove } from './changes.ts';
import type { RecordParts } from './handler-parts.ts';
import { rateHeaders } from './read-limit.ts';
import { countingUncharged, idempotencyKey, type Seeing, useUp, withFacts } from './write.ts';

/** An operation whose collection is known and admits the caller. */
interface PlacedOperation {
  readonly asked: AskedOperation;
  /** Null: there is no such collection. */
  readonly seeing: Seeing | null;
}

interface ReadBatch {
  readonly placed: readonly PlacedOperation[];
  readonly change: CallerBatch;
  /** Why the part after those of the change is refused; null: they are all of them. */
  readonly cutBy: Refusal | null;
}

/** POST /batch: each operation is read and decided as the single request would be, and all of them are written or none. */
export function runBatch(lineages: readonly Lineage[], parts: RecordParts): BearerHandler {
  const byName = new Map(lineages.map((lineage) => [lineage[0].name, lineage]));
  const { writes, clock } = parts;
  return countingUncharged(parts, async (input, caller) => {
    const identity = identityOf(caller);
    const now = clock.now();
    let batch: ReadBatch;
    try {
      batch = readBatch(input, caller, now, byName, parts);
    } catch (refusal) {
      if (input.proof !== null) void useUp(input.proof, identity, parts);
      throw refusal;
    }
    const { placed, change, cutBy } = batch;
    const operation = { caller: identity, now, proof: input.proof, change };
    try {
      const { batch: done } = await writes.submit(operation, input.body?.byteLength ?? 0, () =>
        input.hasHungUp(),
      );
      if (done === undefined) throw new Error('A batch has results.');
      if ('results' in done)
        return { answer: await answerTo(done.results, placed, now, parts), isCharged: true };
      return { answer: await repeatedAnswer(done.repeated, placed, now, parts), isCharged: false };
    } catch (error) {
      throw error instanceof Refusal ? await withPart(error, placed, cutBy) : error;
    }
  });
}

function readBatch(
  input: Input,
  caller: Caller,
  now: number,
  lineages: ReadonlyMap<string, Lineage>,
  parts: RecordParts,
): ReadBatch {
  const { operations, text } = readOperations(input);
  const key = idempotencyKey(input, text, batchName, identityOf(caller).id, parts);
  const placed = place(operations, caller, now, lineages, parts);
  // In order, so that the first record of a batch is the first in lists and waiting lines, too.
  const newIds = operations.map(() => createRecordId(now)).sort();
  const read: BatchPart[] = [];
  try {
    for (const [index, one] of placed.entries()) read.push(readPart(one, newIds[index] ?? ''));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    // An operation before this one may be refused, too, which only the database knows.
    if (read.length === 0) throw refusedAt(0, refusal);
    return { placed, change: { kind: 'batch', parts: read, key, isCut: true }, cutBy: refusal };
  }
  return { placed, change: { kind: 'batch', parts: read, key, isCut: false }, cutBy: null };
}

/** Refuses the whole request if the token does not reach one of the collections, as every route does. */
function place(
  operations: readonly AskedOperation[],
  caller: Caller,
  now: number,
  lineages: ReadonlyMap<string, Lineage>,
  { names, store }: RecordParts,
): readonly PlacedOperation[] {
  const named = [...new Set(operations.map(({ collection }) => collection))];
  const found = named.map((name) => lineages.get(name)).filter((lineage) => lineage !== undefined);
  requireScopesOf(
    found.map(([collection]) => collection),
    caller,
    'write',
  );
  const seeing = new Map(
    found.map((lineage): [string, Seeing] => {
      const [collection] = lineage;
      const access = CallerAccess.admit(lineage, caller, 'write');
      return [collection.name, { collection, lineage, access, names, now, store }];
    }),
  );
  const placed = operations.map((asked) => ({ asked, seeing: seeing.get(asked.collection) ?? null }));
  const errors = placed.flatMap(({ asked: { verb, id }, seeing: seen }, index) =>
    verb === 'create' && id !== null && seen !== null && !takesIds(seen.collection)
      ? [
          {
            pointer: `${pointerTo('/operations', index)}/id`,
            message: 'must be left out: the service makes the ids of this collection',
          },
        ]
      : [],
  );
  if (errors.length > 0) throw invalid(errors);
  return placed;
}

function readPart({ asked, seeing }: PlacedOperation, newId: string): BatchPart {
  if (seeing === null) throw new Refusal('not_found');
  const { collection, access } = seeing;
  return { caller: access.caller, change: toChange(asked, collection, newId) };
}

function toChange(asked: AskedOperation, collection: Collection, newId: string): RecordChange {
  const { verb, fields, action, expected } = asked;
  if (verb === 'create' && asked.id === null) return toCreate(collection, newId, fields);
  const isKnown = verb !== 'act' || collection.machine?.actions.includes(action);
  if (!isKnown) throw new Refusal('not_found');
  const id = recordId({ params: { id: asked.id ?? '' } });
  if (verb === 'create') return toCreateUnder(collection, id, fields);
  if (verb === 'update') return toPatch(collection, id, fields, expected);
  if (verb === 'delete') return toRemove(collection, id, expected);
  return toAct(collection, id, action, takesInput(collection) ? fields : {}, expected);
}

const statuses = { create: 201, update: 200, delete: 204, act: 200 } as const;

async function answerTo(
  results: readonly WriteResult[],
  placed: readonly PlacedOperation[],
  now: number,
  { store }: RecordParts,
): Promise<Answer> {
  const seen = results.map(({ record }, index) => ({ record, ...seeingAt(placed, index) }));
  const countsOf = await countsForEach(seen, store);
  const items = results.map(({ kind, record, context }, index) => {
    const { asked } = placed[index] as PlacedOperation;
    const shown = kind === 'removed' ? null : { record, context };
    return itemOf(statuses[asked.verb], shown, seeingAt(placed, index), countsOf);
  });
  return jsonText(listOf(items), { headers: tightest(results, now) });
}

/** The remaining budget of the caller: that of the collection with the least left. */
function tightest(results: readonly WriteResult[], now: number): Readonly<Record<string, string>> {
  const last = new Map(
    results.flatMap(({ record, budget }) => (budget ? [[record.collection, budget]] : [])),
  );
  const [least] = [...last.values()].sort(
    (one, other) => one.allowed - one.used - (other.allowed - other.used),
  );
  return least === undefined ? {} : rateHeaders('writes', least, now);
}

/** The present records. A record that was deleted, or that the caller can no longer read, is left out. */
async function repeatedAnswer(
  made: readonly string[],
  placed: readonly PlacedOperation[],
  now: number,
  { store }: RecordParts,
): Promise<Answer> {
  const ids = made.values();
  const named = placed.map(({ asked }) => asked.id ?? ids.next().value ?? '');
  const found = await Promise.all(
    named.map(async (id, index) => {
      const { lineage, collection, access } = seeingAt(placed, index);
      const record = await store.find(collection.name, id, access.membersWanted);
      if (record === null || isExpired(collection, record, now)) return null;
      const context = await contextOf(lineage, record, { store, caller: access.id, now });
      return access.sees(record, context) ? { record, context } : null;
    }),
  );
  const there = found.flatMap((one, index) => (one === null ? [] : [{ ...one, ...seeingAt(placed, index) }]));
  const countsOf = await countsForEach(there, store);
  const items = found.map((one, index) => {
    const { asked } = placed[index] as PlacedOperation;
    return itemOf(
      statuses[asked.verb],
      asked.verb === 'delete' ? null : one,
      seeingAt(placed, index),
      countsOf,
    );
  });
  return jsonText(listOf(items), { headers: { 'idempotency-replayed': 'true' } });
}

/** Only for an operation whose collection is known. */
function seeingAt(placed: readonly PlacedOperation[], index: number): Seeing {
  return (placed[index] as PlacedOperation).seeing as Seeing;
}

function listOf(items: readonly string[]): string {
  return `{"results":[${items.join()}]}`;
}

function itemOf(
  status: number,
  shown: { readonly record: StoredRecord; readonly context: RecordContext } | null,
  seeing: Seeing,
  countsOf: CountsOf,
): string {
  if (shown === null) return `{"status":${status}}`;
  const { record, context } = shown;
  const text = present(record, context, seeing, countsOf(record));
  return `{"status":${status},"etag":${JSON.stringify(etagOf(record))},"record":${text}}`;
}

/** The refusal of one part, as the single request would have been answered. */
async function withPart(
  refusal: Refusal,
  placed: readonly PlacedOperation[],
  cutBy: Refusal | null,
): Promise<Refusal> {
  if (refusal.code !== 'batch_refused') return refusal;
  const { index, refusal: of } = refusal.options.facts as RefusedPart;
  const own =
    of === null ? cutBy : await withFacts(new Refusal(of.code, of.options), seeingAt(placed, index));
  if (own === null) throw new Error('A batch that was cut has the refusal of its next part.');
  return refusedAt(index, own);
}

/** The headers of the single answer: the ETag is a member, because it is not that of this answer. */
function refusedAt(index: number, refusal: Refusal): Refusal {
  const { headers = {}, retryAfterSeconds } = refusal.options;
  const { etag, ...others } = headers;
  const problem = problemOf(refusal, describe(refusal.code).status);
  return new Refusal('batch_refused', {
    detail: refusal.code,
    members: { index, problem, ...(etag === undefined ? {} : { etag }) },
    headers: others,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
