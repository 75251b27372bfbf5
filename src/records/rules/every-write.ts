import { Refusal } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
import { type Lineage, lineageAbove, parentOf } from '../../collections/lineage.ts';
import type {
  Consumer,
  NewHistoryEntry,
  OwnerInCollection,
  RecordContext,
  RecordMember,
  RecordName,
  StoredRecord,
  Usage,
} from '../../storage/port.ts';
import { type CallerAccess, type CallerIdentity, storedRoles } from '../caller-access.ts';
import type { PeopleNames } from '../people-names.ts';
import { isExpired } from '../present.ts';
import type { BatchState, Effects } from './batch-state.ts';
import { charge, writeBudget } from './budgets.ts';
import type { Change, Operation, RefusalFacts, WriteResult } from './operation.ts';

/** A collection among the rows of a batch, and the time. */
export interface Place {
  readonly collection: Collection;
  /** The collection and its ancestors. */
  readonly lineage: Lineage;
  readonly state: BatchState;
  readonly now: number;
  /** Keyed digests: aliases, and the topics of events. */
  readonly names: PeopleNames;
}

type Named = Pick<StoredRecord, 'collection' | 'id' | 'parentId'>;

/** The roles of a person in a record and in its ancestors, and who else has a role in the record by an action. */
export function contextOf(record: Named, person: string, place: Place): RecordContext {
  const members = membersOf(place.collection, record, [person], true, place.state);
  return placed(members, parentFor(place.lineage, record, [person], false, place));
}

/** The context of a record that is not there yet. */
export function contextOfNew(record: Named, person: string, place: Place): RecordContext {
  return placed([], parentFor(place.lineage, record, [person], false, place));
}

/** Who has a role by an action in a record or its ancestors, with the roles of all these people further up. */
export function readersOf(
  record: Named,
  joining: readonly RecordMember[],
  place: Place,
  isNew = false,
): RecordContext {
  const stored = isNew ? [] : membersOf(place.collection, record, [], true, place.state);
  const members = [...stored, ...joining];
  return placed(members, parentFor(place.lineage, record, peopleIn(members), true, place));
}

/** The audience of an event; undefined if there is no event, or it is for the owner only. */
export function audienceOf(
  record: StoredRecord,
  states: Parameters<PeopleNames['audience']>[2],
  place: Place,
  joining: readonly RecordMember[] = [],
  isNew = false,
): ReturnType<PeopleNames['audience']> {
  const { collection, lineage, names } = place;
  if (!hasAudience(collection)) return undefined;
  return names.audience(lineage, { ...readersOf(record, joining, place, isNew), record }, states);
}

/** What `audienceOf` reads. */
export function askAudience(record: Named, place: Place, isNew = false): void {
  if (hasAudience(place.collection)) readersOf(record, [], place, isNew);
}

function hasAudience({ isShared, events }: Collection): boolean {
  return isShared && events !== null;
}

function placed(members: readonly RecordMember[], parent: RecordContext['parent']): RecordContext {
  return parent === undefined ? { members } : { members, parent };
}

/** The parent with its context. `withHolders`: also who has a role there by an action, and their roles further up. */
function parentFor(
  lineage: Lineage,
  record: Named,
  people: readonly string[],
  withHolders: boolean,
  reading: Pick<Place, 'state' | 'now'>,
): RecordContext['parent'] {
  const upper = lineageAbove(lineage);
  if (upper === null) return undefined;
  const [collection] = upper;
  const name = parentOf(lineage[0], record);
  if (name === null) return null;
  const { state, now } = reading;
  const members = membersOf(collection, name, people, withHolders, state);
  const above = state.records.above(record, name);
  if (above === null || isExpired(collection, above, now)) return null;
  const further = withHolders ? [...new Set([...people, ...peopleIn(members)])] : people;
  return { ...placed(members, parentFor(upper, above, further, withHolders, reading)), record: above };
}

/** Roles by invitation of some people, and roles by an action of the same people or of all. */
function membersOf(
  collection: Collection,
  name: RecordName,
  people: readonly string[],
  withHolders: boolean,
  { people: stored }: BatchState,
): readonly RecordMember[] {
  const { roles, rolesOfAll } = storedRoles(collection);
  if (roles.length === 0) return [];
  return roles.flatMap((role) => {
    if (withHolders && rolesOfAll.includes(role)) return stored.holders(name, role);
    return people.flatMap((person) => stored.rolesOf(person, name, [role]));
  });
}

function peopleIn(members: readonly RecordMember[]): readonly string[] {
  return members.map(({ member }) => member);
}

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

/** What an operation of any kind reads, for which no collection is needed. */
export type AskOfAny = (operation: Operation, state: BatchState) => void;

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

export function askCaller({ caller: { id }, change }: Operation, state: BatchState): void {
  if (change.kind !== 'fill' && change.kind !== 'refused') state.consumer(id);
}

/** The budgets that a caller had used before an erasure: only one that is not registered can have some. */
export function askSpentBudgets({ caller: { id } }: Operation, state: BatchState): void {
  if (state.rows.isKnown('consumers', { id }) && state.consumer(id) === null) state.spentBudgets(id);
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
