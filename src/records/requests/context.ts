import { type NowOrLater, whenReady } from '../../base/now-or-later.ts';
import { type Collection, showsCounts } from '../../collections/collection.ts';
import { type Lineage, lineageAbove } from '../../collections/lineage.ts';
import type {
  RecordContext,
  RecordStore,
  RecordWithMembers,
  StoredRecord,
  Tally,
} from '../../storage/port.ts';
import { membersWanted } from '../caller-access.ts';
import { type Counts, isExpired } from '../present.ts';

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
  if (!showsCounts(collection)) return {};
  return whenReady(store.tallies(collection.name, [id]), countsOf);
}

export type CountsOf = (record: StoredRecord) => Counts;

/** The same for records of any collections: each collection is asked once. */
export async function countsForEach(
  seen: readonly { readonly record: StoredRecord; readonly collection: Collection }[],
  store: Pick<RecordStore, 'tallies'>,
): Promise<CountsOf> {
  const counted = seen.filter(({ collection }) => showsCounts(collection));
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
