import { Refusal } from '../../base/errors.ts';
import { type Answer, answer, json } from '../../base/handler.ts';
import type {
  BatchChanges,
  BatchKeys,
  Consumer,
  Loaded,
  Outcome,
  StoredRecord,
  Usage,
} from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';
import { BatchState, type Effects } from './batch-state.ts';
import { asOfNow, charge, rateHeaders, writeBudget } from './budgets.ts';
import { Caller } from './caller.ts';
import { type Fields, mergePatch, toBody } from './fields.ts';
import type { Done, Operation, RecordChange } from './operation.ts';
import { fits, type Tags } from './preconditions.ts';
import { etagOf, fieldsOf, isExpired, present } from './present.ts';
import { replayed } from './uncharged-writes.ts';

/** How long a key stands for the record that was made with it. */
export const idempotencyMs = 24 * 3_600_000;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What the rules of writes know besides the data: the same for every batch. */
export interface WriteRules {
  readonly collections: ReadonlyMap<string, Collection>;
  /** Where a collection is served. */
  readonly pathOf: (collection: string) => string;
  /** When more users are new within an hour, new ones only read; 0 is never. */
  readonly newcomersPerHour: number;
}

/** Everything that a batch names, so that it can be loaded at once. */
export function keysOf(operations: readonly Operation[], { newcomersPerHour }: WriteRules): BatchKeys {
  const consumers = new Map(operations.map(({ caller }) => [caller.id, caller]));
  const usage = new Map<string, BatchKeys['usage'][number]>();
  const records = new Map<string, BatchKeys['records'][number]>();
  const idempotencyKeys: BatchKeys['idempotencyKeys'][number][] = [];
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
    consumers: [...consumers.values()].map(({ id, former }) => ({ id, former })),
    usage: [...usage.values()],
    records: [...records.values()],
    idempotencyKeys,
    newcomers:
      newcomersPerHour > 0 && hasPeople ? { since: latest - hourMs, atMost: newcomersPerHour + 1 } : null,
  };
}

/** Decides a batch, each operation over what those before it have left. */
export function decideAll(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: WriteRules,
): { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] } {
  const state = new BatchState(loaded);
  const outcomes = operations.map((operation): Outcome => {
    try {
      const { effects, ...done } = decide(operation, state, rules);
      for (const effect of effects) state.apply(effect);
      return { done };
    } catch (error) {
      return { error };
    }
  });
  return { changes: state.changes(), outcomes };
}

interface Decision extends Done {
  readonly effects: readonly Effects[];
}

/** What becomes of one operation. Throws a refusal, and then nothing changes. */
function decide({ caller: who, now, change }: Operation, state: BatchState, rules: WriteRules): Decision {
  const known = state.consumer(who.id);
  const consumer: Consumer = known ?? { id: who.id, kind: who.kind, state: 'active', registeredAt: now };
  const registration: Effects[] = known === null ? [{ newConsumer: { consumer, former: who.former } }] : [];
  if (change.kind === 'register') return { effects: registration, consumer, answer: null };
  const collection = rules.collections.get(change.collection);
  if (collection === undefined) throw new Error(`There is no collection "${change.collection}".`);
  const usage = settledUsage(collection, who, now, state);
  const writing: Writing = {
    caller: new Caller(who, collection),
    collection,
    path: rules.pathOf(collection.name),
    consumer,
    usage,
    // Whoever comes with this very write counts, too.
    newcomers: state.newcomers + (known === null && who.kind === 'user' ? 1 : 0),
    newcomersPerHour: rules.newcomersPerHour,
    now,
    find: (id) => state.record(collection.name, id),
  };
  const { effects, answer } = decideChange(change, writing, state);
  return { effects: [...registration, ...effects], consumer, answer };
}

/** A window that a wrong clock has put into the future is brought back, whatever becomes of the write. */
function settledUsage(
  { name, limits }: Collection,
  { id, former }: Operation['caller'],
  now: number,
  state: BatchState,
): Usage {
  const usage = state.usage(id, name, former);
  const settled = asOfNow(limits, usage, now);
  if (settled !== usage) state.apply({ usage: { owner: id, collection: name, after: settled } });
  return settled;
}

/** What the rules look at for one write of one caller. */
interface Writing {
  readonly caller: Caller;
  readonly collection: Collection;
  readonly path: string;
  readonly consumer: Consumer;
  readonly usage: Usage;
  readonly newcomers: number;
  readonly newcomersPerHour: number;
  readonly now: number;
  readonly find: (id: string) => StoredRecord | null;
}

interface Decided {
  readonly effects: readonly Effects[];
  readonly answer: Answer;
}

function decideChange(change: RecordChange, writing: Writing, state: BatchState): Decided {
  switch (change.kind) {
    case 'create':
      return decideCreate(change, writing, state);
    case 'create_under':
      return decideCreateUnder(change, writing);
    case 'replace':
      return decideEdit(change, writing, () => change.body);
    case 'patch':
      return decideEdit(change, writing, (record) =>
        toBody(writing.collection, mergePatch(fieldsOf(record), change.patch) as Fields),
      );
    case 'act':
      return decideAction(change, writing);
    case 'remove':
      return decideRemove(change, writing);
  }
}

type Of<Kind extends RecordChange['kind']> = Extract<RecordChange, { kind: Kind }>;

/** POST /<collection> */
function decideCreate(change: Of<'create'>, writing: Writing, state: BatchState): Decided {
  const { caller, collection, now } = writing;
  const { key } = change;
  const owned = { owner: caller.id, collection: collection.name };
  const used = key === null ? null : state.idempotencyKey({ ...owned, keyDigest: key.keyDigest });
  if (key !== null && used !== null && used.expiresAt > now) {
    if (!isSameRequest(used.requestDigest, key.requestDigest)) throw new Refusal('idempotency_key_reused');
    const record = writing.find(used.recordId);
    if (record === null || record.owner !== caller.id || isExpired(collection, record, now))
      throw new Refusal('idempotency_record_gone');
    return { effects: [], answer: created(record, { [replayed]: 'true' }, writing) };
  }
  const made = insert(change, 1, writing);
  if (key === null) return made;
  const remembered = { ...owned, ...key, recordId: change.id, expiresAt: now + idempotencyMs };
  return { ...made, effects: [...made.effects, { idempotencyKey: remembered }] };
}

/** Digests under a key that nobody else has: how long it takes to compare them tells nothing. */
function isSameRequest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** PUT /<collection>/{id} with `If-None-Match: *`. What has expired gives way; what is there stays. */
function decideCreateUnder(change: Of<'create_under'>, writing: Writing): Decided {
  const { caller, collection, now } = writing;
  const existing = writing.find(change.id);
  if (existing === null) return insert(change, 1, writing);
  if (!isExpired(collection, existing, now)) {
    // Who must not know of it is not told.
    if (!caller.sees(existing)) throw new Refusal('not_found');
    throw preconditionFailed(existing, writing);
  }
  // The new one counts instead of an own one.
  if (existing.owner === caller.id) return insert(change, 0, writing);
  const made = insert(change, 1, writing);
  const released = { owner: existing.owner, collection: collection.name };
  return { ...made, effects: [{ released }, ...made.effects] };
}

function insert(change: Of<'create' | 'create_under'>, addedRecords: number, writing: Writing): Decided {
  const { caller, collection, now } = writing;
  const { id, revision, body } = change;
  const { effects, headers } = charged(addedRecords, writing);
  const record: StoredRecord = {
    collection: collection.name,
    id,
    owner: caller.id,
    state: collection.machine?.initial ?? null,
    revision,
    createdAt: now,
    updatedAt: now,
    body,
  };
  return { effects: [...effects, { put: record }], answer: created(record, headers, writing) };
}

/** PUT and PATCH /<collection>/{id} */
function decideEdit(
  change: Of<'replace' | 'patch'>,
  writing: Writing,
  bodyFor: (record: StoredRecord) => string,
): Decided {
  const { machine } = writing.collection;
  const record = found(change, writing);
  if (machine !== null && !machine.editable.has(record.state ?? ''))
    throw new Refusal('not_editable', { members: { state: record.state } });
  return changed({ ...record, body: bodyFor(record), revision: change.revision }, writing);
}

/** POST /<collection>/{id}/<action> */
function decideAction(change: Of<'act'>, writing: Writing): Decided {
  const { caller, collection } = writing;
  const record = found(change, writing);
  const transition = collection.machine?.states.get(record.state ?? '')?.get(change.action);
  if (transition === undefined) {
    const allowed = collection.machine === null ? [] : caller.actionsOn(collection.machine, record);
    throw new Refusal('invalid_transition', { members: { state: record.state, allowed } });
  }
  if (!caller.mayTake(transition.by, record)) throw new Refusal('action_not_allowed');
  return changed({ ...record, state: transition.to, revision: change.revision }, writing);
}

/** DELETE /<collection>/{id} */
function decideRemove(change: Of<'remove'>, writing: Writing): Decided {
  const { caller, collection } = writing;
  const record = found(change, writing);
  const isOwn = record.owner === caller.id;
  const { effects, headers } = charged(isOwn ? -1 : 0, writing);
  const { id, owner } = record;
  const released: Effects = isOwn ? {} : { released: { owner, collection: collection.name } };
  const removed = { collection: collection.name, id };
  return {
    effects: [...effects, { ...released, removed }],
    answer: answer(null, '', { status: 204, headers }),
  };
}

function changed(record: StoredRecord, writing: Writing): Decided {
  const { collection, caller, now } = writing;
  const { effects, headers } = charged(0, writing);
  const after = { ...record, updatedAt: now };
  return {
    effects: [...effects, { put: after }],
    answer: json(present(collection, after, caller), { headers: { etag: etagOf(after), ...headers } }),
  };
}

/** The record, in the version that the request is for. For all that the caller must not know of, there is none. */
function found({ id, expected }: { id: string; expected: Tags | null }, writing: Writing): StoredRecord {
  const { caller, collection, now } = writing;
  const record = writing.find(id);
  if (record === null || isExpired(collection, record, now) || !caller.sees(record))
    throw new Refusal('not_found');
  if (!caller.mayChange(record)) throw new Refusal('not_owner');
  if (expected === null && collection.concurrency === 'required') throw new Refusal('precondition_required');
  if (expected === null || fits(expected, etagOf(record))) return record;
  throw preconditionFailed(record, writing);
}

function preconditionFailed(record: StoredRecord, { collection, caller }: Writing): Refusal {
  return new Refusal('precondition_failed', {
    members: { current: present(collection, record, caller) },
    headers: { etag: etagOf(record) },
  });
}

/** Counts the write, and the records that it adds to the caller's own or takes from them. */
function charged(addedRecords: number, writing: Writing) {
  const { caller, collection, consumer, usage, now } = writing;
  const owned = { owner: caller.id, collection: collection.name };
  if (caller.isMachine) {
    const after = { ...usage, records: usage.records + addedRecords };
    return { effects: addedRecords === 0 ? [] : [{ usage: { ...owned, after } }], headers: {} };
  }
  const { registeredAt } = consumer;
  const after = charge(collection.limits, usage, { registeredAt, now }, addedRecords);
  checkSurge(writing);
  const headers = rateHeaders('writes', writeBudget(collection.limits, after, now), now);
  return { effects: [{ usage: { ...owned, after } }], headers };
}

/** When a crowd comes in at once, only those who are new wait: whoever was here before notices nothing. */
function checkSurge({ collection, consumer, newcomers, newcomersPerHour, now }: Writing): void {
  const newFor = collection.limits.newcomer?.forMs ?? dayMs;
  if (newcomersPerHour === 0 || now >= consumer.registeredAt + newFor) return;
  if (newcomers > newcomersPerHour) throw new Refusal('newcomers_paused', { retryAfterSeconds: 600 });
}

function created(
  record: StoredRecord,
  headers: Readonly<Record<string, string>>,
  { collection, path, caller }: Writing,
): Answer {
  return json(present(collection, record, caller), {
    status: 201,
    headers: { location: `${path}/${record.id}`, etag: etagOf(record), ...headers },
  });
}
