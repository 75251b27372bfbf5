import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { NewEvent, ParentLink, StoredRecord, Tally } from '../port.ts';
import { columnsOf, type Database, type Tables } from '../schema.ts';
import { appendEvents, chunksOf } from './events.ts';

/** Records with parents: their tallies, and the work that is left after a parent is deleted or handed over. */

/** The number of ancestors of a record. Needs at least one link. */
export function levelIn(links: readonly ParentLink[]): RawBuilder<number> {
  const cases = links.map(({ child, level }) => sql`when ${sql.lit(child)} then ${sql.lit(level)}`);
  return sql<number>`case records.collection ${sql.join(cases, sql` `)} else 0 end`;
}

type RemovedRecord = Pick<StoredRecord, 'collection' | 'id' | 'parentId' | 'state'>;

/** Lowers tallies, and marks the records under removed ones for deletion. */
export async function afterRemoval(
  transaction: Database,
  links: readonly ParentLink[],
  removed: readonly RemovedRecord[],
  at: number,
): Promise<void> {
  if (links.length === 0) return;
  const tallied = links.filter(({ isTallied }) => isTallied);
  const moves = Map.groupBy(
    removed.filter(({ collection }) => tallied.some(({ child }) => child === collection)),
    ({ collection, parentId, state }) => [parentId ?? '', collection, state ?? ''].join('\0'),
  );
  for (const [key, { length }] of [...moves].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [parentId = '', child = '', state = ''] = key.split('\0');
    await transaction
      .updateTable('tallies')
      .set({ n: sql`n - ${sql.lit(length)}` })
      .where('collection', '=', tallied.find((one) => one.child === child)?.collection ?? '')
      .where('record_id', '=', parentId)
      .where('child', '=', child)
      .where('state', '=', state)
      .execute();
  }
  const work = removed.flatMap(({ collection, id }) =>
    links
      .filter((one) => one.collection === collection && one.onDelete === 'cascade')
      .map(({ child }) => ({ child, parent_id: id, what: 'delete' as const, new_owner: null, at })),
  );
  await putWork(transaction, work);
}

async function putWork(transaction: Database, work: readonly Tables['child_work'][]): Promise<void> {
  for (const some of chunksOf(work))
    await transaction
      .insertInto('child_work')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['child', 'parent_id', 'what'])
          .doUpdateSet((set) => ({ new_owner: set.ref('excluded.new_owner') })),
      )
      .execute();
}

/** Does a part of the work that is left. True if there may be more. */
export async function workOnChildren(
  engine: Engine,
  links: readonly ParentLink[],
  limit: number,
  eventOf: (record: StoredRecord) => NewEvent | null,
): Promise<boolean> {
  return engine.database.transaction().execute(async (transaction) => {
    const work = await transaction
      .selectFrom('child_work')
      .selectAll()
      .orderBy('at')
      .orderBy('child')
      .orderBy('parent_id')
      .limit(1)
      .$if(engine.name === 'postgres', (select) => select.forUpdate().skipLocked())
      .executeTakeFirst();
    if (work === undefined) return false;
    const link = links.find(({ child }) => child === work.child);
    const done =
      link === undefined
        ? 0
        : work.what === 'delete'
          ? await removeRecords(engine, transaction, {
              links,
              collection: link.child,
              ids: idsUnder(transaction, { link, work, limit }),
              at: work.at,
              eventOf,
            })
          : await handUnder(transaction, { links, link, work, limit });
    if (done < limit)
      await transaction
        .deleteFrom('child_work')
        .where('child', '=', work.child)
        .where('parent_id', '=', work.parent_id)
        .where('what', '=', work.what)
        .execute();
    return true;
  });
}

interface Work {
  readonly links: readonly ParentLink[];
  readonly link: ParentLink;
  readonly work: Tables['child_work'];
  readonly limit: number;
}

function idsUnder(database: Database, { link, work, limit }: Omit<Work, 'links'>) {
  return database
    .selectFrom('records')
    .select('id')
    .where('collection', '=', link.child)
    .where('parent_id', '=', work.parent_id)
    .limit(limit);
}

/** Deletes records of one collection, with what depends on them: counts, work that is left, events. Returns their number. */
export async function removeRecords(
  engine: Engine,
  transaction: Database,
  { links, collection, ids, at, eventOf }: Removal,
): Promise<number> {
  const removed = await transaction
    .with('some', () => ids)
    .deleteFrom('records')
    .where('collection', '=', collection)
    .where('id', 'in', (database) => database.selectFrom('some').select('id'))
    .returning(columnsOf('records'))
    .$castTo<StoredRecord>()
    .execute();
  if (removed.length === 0) return 0;
  const link = links.find(({ child }) => child === collection);
  await engine.residue.note(transaction, 'deletions');
  if (link?.ownedBy !== 'parent') await releaseOwners(engine, transaction, collection, removed);
  await afterRemoval(transaction, links, removed, at);
  const events = removed.map(eventOf).filter((event) => event !== null);
  await appendEvents(engine, transaction, events);
  return removed.length;
}

interface Removal {
  readonly links: readonly ParentLink[];
  readonly collection: string;
  readonly ids: ReturnType<typeof idsUnder>;
  readonly at: number;
  readonly eventOf: (record: StoredRecord) => NewEvent | null;
}

async function handUnder(transaction: Database, given: Work): Promise<number> {
  const { links, link, work } = given;
  const owner = work.new_owner ?? '';
  const handed = await transaction
    .with('some', (database) => idsUnder(database as unknown as Database, given).where('owner', '<>', owner))
    .updateTable('records')
    .set({ owner })
    .where('collection', '=', link.child)
    .where('id', 'in', (database) => database.selectFrom('some').select('id'))
    .returning('id')
    .execute();
  const further = links.filter(
    ({ collection, ownedBy }) => collection === link.child && ownedBy === 'parent',
  );
  await putWork(
    transaction,
    handed.flatMap(({ id }) => further.map(({ child }) => ({ ...work, child, parent_id: id }))),
  );
  return handed.length;
}

/** Called before a former owner is erased: records that were handed over with their parent are no longer theirs. */
export async function finishHandOvers(
  transaction: Database,
  links: readonly ParentLink[],
  owner: string,
  at: number,
): Promise<void> {
  // Parents first: their children are handed over with them.
  for (const { child, ownedBy } of links.toSorted((one, other) => one.level - other.level)) {
    if (ownedBy !== 'parent') continue;
    const { rows } = await sql<{
      id: string;
      owner: string;
    }>`update records set owner = (select new_owner from child_work
        where child = ${sql.lit(child)} and what = 'own' and parent_id = records.parent_id)
      where collection = ${sql.lit(child)} and owner = ${owner} and exists (select 1 from child_work
        where child = ${sql.lit(child)} and what = 'own' and parent_id = records.parent_id)
      returning id, owner`.execute(transaction);
    const further = links.filter((one) => one.collection === child && one.ownedBy === 'parent');
    await putWork(
      transaction,
      rows.flatMap(({ id, owner: new_owner }) =>
        further.map((one) => ({ child: one.child, parent_id: id, what: 'own' as const, new_owner, at })),
      ),
    );
  }
}

/** Lowers the counts of the owners of removed records in one statement, because other writers wait meanwhile. */
async function releaseOwners(
  engine: Engine,
  transaction: Database,
  collection: string,
  removed: readonly { readonly owner: string }[],
): Promise<void> {
  const owners = Map.groupBy(removed, ({ owner }) => owner);
  // Locked in the order of all transactions, against deadlocks.
  if (engine.name === 'postgres')
    await transaction
      .selectFrom('usage')
      .select('owner')
      .where('collection', '=', collection)
      .where('owner', 'in', [...owners.keys()])
      .orderBy('owner')
      .forUpdate()
      .execute();
  const rows = [...owners].map(([owner, { length }]) => sql`(${owner}, ${sql.lit(length)})`);
  await sql`with gone (owner, n) as (values ${sql.join(rows)})
    update usage set records = case when usage.records > gone.n then usage.records - gone.n else 0 end
    from gone where usage.owner = gone.owner and usage.collection = ${collection}`.execute(transaction);
}

const maxWrong = 100;

/** The tallies that differ from a count, with the correct values. */
export async function recount(engine: Engine, links: readonly ParentLink[]): Promise<readonly Tally[]> {
  const wrong: Tally[] = [];
  for (const { child, collection, isTallied } of links) {
    if (!isTallied) continue;
    const { rows } = await sql<{ id: string; state: string; n: number }>`
      select counted.id, counted.state, sum(counted.n) as n from (
        select parent_id as id, coalesce(state, '') as state, count(*) as n, 0 as known
          from records where collection = ${sql.lit(child)} group by 1, 2
        union all select record_id, state, 0, n from tallies
          where child = ${sql.lit(child)} and collection = ${sql.lit(collection)}) as counted
      join records on records.collection = ${sql.lit(collection)} and records.id = counted.id
      group by counted.id, counted.state having sum(counted.n) <> sum(counted.known)
      limit ${sql.lit(maxWrong)}`.execute(engine.reader);
    wrong.push(...rows.map(({ id, state, n }) => ({ collection, recordId: id, child, state, n: Number(n) })));
  }
  return wrong;
}

/** Recounts the records of a collection if one of its tallies is wrong. */
export async function repairTallies(engine: Engine, links: readonly ParentLink[]): Promise<void> {
  const wrong = await recount(engine, links);
  for (const { child, collection } of links) {
    if (!wrong.some((one) => one.child === child)) continue;
    await engine.database.transaction().execute(async (transaction) => {
      // Writers wait until the tallies are correct. SQLite has one writer at a time.
      if (engine.name === 'postgres')
        await sql`lock table records in share row exclusive mode`.execute(transaction);
      await transaction.deleteFrom('tallies').where('child', '=', child).execute();
      await sql`insert into tallies (collection, record_id, child, state, n)
        select ${sql.lit(collection)}, counted.id, ${sql.lit(child)}, counted.state, counted.n from (
          select parent_id as id, coalesce(state, '') as state, count(*) as n
            from records where collection = ${sql.lit(child)} group by 1, 2) as counted
        join records on records.collection = ${sql.lit(collection)} and records.id = counted.id`.execute(
        transaction,
      );
    });
  }
}
