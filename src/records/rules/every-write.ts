import { Refusal } from '../../base/errors.ts';
import type {
  Consumer,
  NewHistoryEntry,
  OwnerInCollection,
  RecordContext,
  StoredRecord,
  Usage,
} from '../../storage/port.ts';
import type { CallerAccess, CallerIdentity } from '../caller-access.ts';
import type { Effects } from './batch-state.ts';
import { charge, writeBudget } from './budgets.ts';
import { contextOf, type Place } from './context.ts';
import type { Change, RefusalFacts, WriteResult } from './operation.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The context of the rules of one write. A new rule reads from it, and throws a `Refusal`. */
export interface Writing extends Place {
  readonly access: CallerAccess;
  readonly consumer: Consumer;
  readonly usage: Usage;
  /** Past this many new users per hour, new users can only read; 0: no limit. */
  readonly newcomersPerHour: number;
}

export interface Decided {
  readonly effects: readonly Effects[];
  readonly result: Omit<WriteResult, 'context'>;
}

/** What a rule reads for a change: the same reads as in its check, given what is loaded so far. They ask for what is not. */
export type Ask<Asked extends Change = Change> = (asking: Asking<Asked>) => void;

export interface Asking<Asked extends Change = Change> extends Place {
  readonly caller: CallerIdentity;
  readonly change: Asked;
  readonly newcomersPerHour: number;
}

/** The context of a record for the caller. */
export function contextFor(record: StoredRecord, writing: Writing): RecordContext {
  return contextOf(record, writing.access.id, writing);
}

/** An entry in the history of a record, if the collection has one. */
export function entryOf(
  { id, state }: StoredRecord,
  { action, from, role }: Pick<NewHistoryEntry, 'action' | 'role'> & { readonly from: string | null },
  { collection, now }: Pick<Writing, 'collection' | 'now'>,
): Pick<Effects, 'history'> {
  if (!collection.history) return {};
  const entry = { at: now, action, fromState: from, toState: state, role };
  return { history: { collection: collection.name, recordId: id, ...entry } };
}

export function preconditionFailed(current: StoredRecord, writing: Writing): Refusal {
  const facts: RefusalFacts = { current, context: contextFor(current, writing) };
  return new Refusal('precondition_failed', { facts });
}

export function askUsage({ caller, collection, state }: Asking): void {
  state.rows.find('usage', { owner: caller.id, collection: collection.name });
}

/** Charges the write, and the change in the number of records, to the caller. */
export function charged(addedRecords: number, writing: Writing) {
  const { access, collection, consumer, usage, now } = writing;
  const owned: OwnerInCollection = { owner: access.id, collection: collection.name };
  if (access.caller.isMachine) {
    const after = { ...usage, records: usage.records + addedRecords };
    return { effects: addedRecords === 0 ? [] : [{ usage: { ...owned, after } }], budget: null };
  }
  const { registeredAt } = consumer;
  const after = charge(collection.limits, usage, { registeredAt, now }, addedRecords);
  checkSurge(writing);
  return { effects: [{ usage: { ...owned, after } }], budget: writeBudget(collection.limits, after, now) };
}

export function askNewcomers({ caller, state, now, newcomersPerHour }: Asking): void {
  if (newcomersPerHour > 0 && !caller.isMachine) state.newcomers(now - hourMs, newcomersPerHour + 1);
}

/** Only newcomers are paused while too many callers are new. */
function checkSurge({ collection, access, consumer, state, newcomersPerHour, now }: Writing): void {
  const newFor = collection.limits.newcomer?.forMs ?? dayMs;
  if (newcomersPerHour === 0 || now >= consumer.registeredAt + newFor) return;
  // A caller that this write registers counts, too.
  const isNew = consumer.kind === 'user' && state.consumer(access.id) === null;
  const newcomers = state.newcomers(now - hourMs, newcomersPerHour + 1) + (isNew ? 1 : 0);
  if (newcomers > newcomersPerHour) throw new Refusal('newcomers_paused', { retryAfterSeconds: 600 });
}
