import { dateTime } from '../base/date-time.ts';
import { type NowOrLater, whenReady } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { type Lineage, lineageAbove, ownerIn, rootOf } from '../collections/lineage.ts';
import type { RecordContext, RecordStore, RecordWithMembers, StoredRecord, Tally } from '../storage/port.ts';
import { type CallerAccess, membersWanted } from './caller-access.ts';
import { aliasText, type PeopleNames } from './people-names.ts';

/** A record in the form for one caller. */
export interface SeenRecord {
  readonly collection: Collection;
  readonly lineage: Lineage;
  readonly access: CallerAccess;
  readonly names: PeopleNames;
  readonly now: number;
}

/** The JSON of a record for this caller, with its roles and possible actions. */
export function present(
  record: StoredRecord,
  context: RecordContext,
  seen: SeenRecord,
  counts: Counts = {},
): string {
  const { machine, isShared } = seen.collection;
  const own = isShared ? sharedMembers(record, context, seen) : '';
  const shared = seen.collection.showsCounts ? `${own}${countsText(seen.collection, counts)}` : own;
  if (machine === null) return withMembers(record, shared);
  const actions = JSON.stringify(seen.access.actionsOn(record, context, seen.now));
  return withMembers(record, `"state":${JSON.stringify(record.state)},"actions":${actions},${shared}`);
}

function sharedMembers(
  record: StoredRecord,
  context: RecordContext,
  { collection, lineage, access, names }: SeenRecord,
): string {
  const roles = access.rolesOn(record, context).filter((role) => role !== 'everyone');
  const own = `"roles":${JSON.stringify(roles)},`;
  if (!collection.aliases) return own;
  const placed = { ...context, record };
  const root = rootOf(lineage, placed);
  const aliasOf = (person: string) => aliasText(names.alias(root, person));
  const people = context.members
    .filter(({ role }) => collection.roles[role]?.kind === 'granted')
    .map(({ role, member }) => [role, aliasOf(member)]);
  return `${own}"owner":${JSON.stringify(aliasOf(ownerIn(lineage, placed)))},"people":${JSON.stringify(Object.fromEntries(people))},`;
}

/** The number of records under one, by collection and state; '' without states. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** `{"registrations":{"confirmed":17,"waiting":0}}`; a number where the collection below has no states. */
function countsText({ children }: Collection, counts: Counts): string {
  const shown = children.flatMap(({ name, parent }) => {
    if (parent.counts.length === 0) return [];
    const inState = (state: string | null) => counts[name]?.[state ?? ''] ?? 0;
    const byState = parent.counts.flatMap((state) => (state === null ? [] : [[state, inState(state)]]));
    return [[name, byState.length === 0 ? inState(null) : Object.fromEntries(byState)]];
  });
  return `"counts":${JSON.stringify(Object.fromEntries(shown))},`;
}

export function presentPlain(record: StoredRecord): string {
  return withMembers(record, record.state === null ? '' : `"state":${JSON.stringify(record.state)},`);
}

function withMembers({ id, body, createdAt, updatedAt }: StoredRecord, states: string): string {
  const fields = body === '{}' ? '' : `${body.slice(1, -1)},`;
  const times = `"created_at":"${dateTime(createdAt)}","updated_at":"${dateTime(updatedAt)}"`;
  return `{"id":${JSON.stringify(id)},${fields}${states}${times}}`;
}

export function fieldsOf({ body }: StoredRecord): Record<string, unknown> {
  return JSON.parse(body);
}

export function isExpired({ limits }: Collection, { updatedAt }: StoredRecord, now: number): boolean {
  return limits.expireMs !== null && updatedAt + limits.expireMs <= now;
}

export function etagOf({ revision }: StoredRecord): string {
  return `"${revision}"`;
}

interface Reading {
  readonly store: Pick<RecordStore, 'find'>;
  /** The caller whose roles are wanted. */
  readonly caller: string;
  readonly now: number;
}

/** The data that decides about access to a record that was read: its members, and its ancestors. */
export function contextOf(
  lineage: Lineage,
  record: Pick<RecordWithMembers, 'parentId' | 'members'>,
  reading: Reading,
): NowOrLater<RecordContext> {
  const upper = lineageAbove(lineage);
  const { members = [] } = record;
  if (upper === null) return { members };
  const [next] = upper;
  const { store, caller, now } = reading;
  const found = store.find(next.name, record.parentId ?? '', membersWanted(next, caller));
  return whenReady(found, (above) => {
    if (above === null || isExpired(next, above, now)) return { members, parent: null };
    return whenReady(contextOf(upper, above, reading), (context) => {
      return { members, parent: { ...context, record: above } };
    });
  });
}

/** The same for the records of a page. Ancestors are read with one statement for each level. */
export async function contextsOf(
  lineage: Lineage,
  records: readonly RecordWithMembers[],
  reading: Omit<Reading, 'store'> & { readonly store: Pick<RecordStore, 'findAll'> },
): Promise<readonly RecordContext[]> {
  const upper = lineageAbove(lineage);
  if (upper === null) return records.map(({ members = [] }) => ({ members }));
  const [next] = upper;
  const { store, caller, now } = reading;
  const parentIds = records.map((record) => record.parentId ?? '');
  const found = await store.findAll(next.name, [...new Set(parentIds)], membersWanted(next, caller));
  const parents = found.filter((record) => !isExpired(next, record, now));
  const contexts = await contextsOf(upper, parents, reading);
  const above = new Map(
    parents.map((record, index) => [record.id, { members: [], ...contexts[index], record }]),
  );
  return records.map(({ members = [] }, index) => {
    return { members, parent: above.get(parentIds[index] ?? '') ?? null };
  });
}

/** The number of records under one, if it shows that. */
export function countsFor(
  { id }: StoredRecord,
  { collection, store }: { readonly collection: Collection; readonly store: Pick<RecordStore, 'tallies'> },
): NowOrLater<Counts> {
  if (!collection.showsCounts) return {};
  return whenReady(store.tallies(collection.name, [id]), countsOf);
}

export type CountsOf = (record: StoredRecord) => Counts;

/** The same for records of any collections: each collection is asked once. */
export async function countsForEach(
  seen: readonly { readonly record: StoredRecord; readonly collection: Collection }[],
  store: Pick<RecordStore, 'tallies'>,
): Promise<CountsOf> {
  const counted = seen.filter(({ collection }) => collection.showsCounts);
  const byCollection = Map.groupBy(counted, ({ collection }) => collection.name);
  const tallies = await Promise.all(
    [...byCollection].map(([name, some]) =>
      store.tallies(name, [...new Set(some.map(({ record }) => record.id))]),
    ),
  );
  const byRecord = Map.groupBy(tallies.flat(), ({ collection, recordId }) => `${collection}/${recordId}`);
  return ({ collection, id }) => countsOf(byRecord.get(`${collection}/${id}`) ?? []);
}

function countsOf(tallies: readonly Tally[]): Counts {
  const counts: Record<string, Record<string, number>> = {};
  for (const { child, state, n } of tallies) {
    counts[child] ??= {};
    counts[child][state] = n;
  }
  return counts;
}
