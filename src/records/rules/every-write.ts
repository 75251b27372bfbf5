import { Refusal } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Lineage } from '../../collections/lineage.ts';
import type {
  Consumer,
  HistoryEntry,
  RecordContext,
  RecordMember,
  StoredMember,
  StoredRecord,
  Usage,
} from '../../storage/port.ts';
import type { CallerAccess } from '../caller-access.ts';
import type { PeopleNames } from '../people-names.ts';
import type { BatchState, Effects } from './batch-state.ts';
import { charge, writeBudget } from './budgets.ts';
import type { RecordChange, RefusalFacts, WriteResult } from './operation.ts';

const dayMs = 24 * 3_600_000;

/** The context of the rules of one write. A new rule reads from it, and throws a `Refusal`. */
export interface Writing {
  readonly access: CallerAccess;
  readonly collection: Collection;
  /** The collection and its ancestors. */
  readonly lineage: Lineage;
  readonly consumer: Consumer;
  readonly usage: Usage;
  readonly newcomers: number;
  readonly newcomersPerHour: number;
  readonly now: number;
  readonly find: (id: string) => StoredRecord | null;
  /** The members that decide what the caller may do, or hold a role by an action. */
  readonly membersOf: (id: string) => readonly StoredMember[];
  /** The same, and the parent. */
  readonly contextOf: (record: StoredRecord) => RecordContext;
  readonly people: BatchState['people'];
  readonly family: BatchState['family'];
  /** Keyed digests: aliases, and the topics of events. */
  readonly names: PeopleNames;
}

export interface Decided {
  readonly effects: readonly Effects[];
  readonly result: Omit<WriteResult, 'context'>;
}

export type Of<Kind extends RecordChange['kind']> = Extract<RecordChange, { kind: Kind }>;

/** The audience of an event. */
export function audienceOf(
  record: StoredRecord,
  states: Parameters<PeopleNames['audience']>[2],
  { lineage, names, contextOf }: Pick<Writing, 'lineage' | 'names' | 'contextOf'>,
  joining: readonly RecordMember[] = [],
): ReturnType<PeopleNames['audience']> {
  const context = contextOf(record);
  return names.audience(lineage, { ...context, record, members: [...context.members, ...joining] }, states);
}

/** An entry in the history of a record, if the collection has one. */
export function entryOf(
  { id, state }: StoredRecord,
  { action, from, role }: Pick<HistoryEntry, 'action' | 'from' | 'role'>,
  { collection, now }: Pick<Writing, 'collection' | 'now'>,
): Pick<Effects, 'history'> {
  if (!collection.history) return {};
  const entry = { at: now, action, from, to: state, role };
  return { history: { collection: collection.name, recordId: id, ...entry } };
}

export function preconditionFailed(current: StoredRecord, { contextOf }: Writing): Refusal {
  const facts: RefusalFacts = { current, context: contextOf(current) };
  return new Refusal('precondition_failed', { facts });
}

/** Charges the write, and the change in the number of records, to the caller. */
export function charged(addedRecords: number, writing: Writing) {
  const { access, collection, consumer, usage, now } = writing;
  const owned = { owner: access.id, collection: collection.name };
  if (access.caller.isMachine) {
    const after = { ...usage, records: usage.records + addedRecords };
    return { effects: addedRecords === 0 ? [] : [{ usage: { ...owned, after } }], budget: null };
  }
  const { registeredAt } = consumer;
  const after = charge(collection.limits, usage, { registeredAt, now }, addedRecords);
  checkSurge(writing);
  return { effects: [{ usage: { ...owned, after } }], budget: writeBudget(collection.limits, after, now) };
}

/** Only newcomers are paused while too many callers are new. */
function checkSurge({ collection, consumer, newcomers, newcomersPerHour, now }: Writing): void {
  const newFor = collection.limits.newcomer?.forMs ?? dayMs;
  if (newcomersPerHour === 0 || now >= consumer.registeredAt + newFor) return;
  if (newcomers > newcomersPerHour) throw new Refusal('newcomers_paused', { retryAfterSeconds: 600 });
}
