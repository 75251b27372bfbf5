import { sql } from 'kysely';
import { Refusal } from '../../base/errors.ts';
import type { Engine } from '../engine.ts';
import type { AuditEntry, Erased, ErasedBudgets } from '../port.ts';
import { toUsage } from '../rows.ts';
import type { Database, Tables } from '../schema.ts';
import { writeAudit } from './audit.ts';

/** Deletes what expired, and takes it off its owners' counts. What somebody is changing just now is left for later. */
export function expireRecords(
  engine: Engine,
  collection: string,
  changedBefore: number,
  limit: number,
): Promise<number> {
  return engine.database.transaction().execute(async (transaction) => {
    const expired = await transaction
      .with('expired', (database) =>
        database
          .selectFrom('records')
          .select('id')
          // Written out, so that the index of this collection is used.
          .where('collection', '=', sql.lit(collection))
          .where('updated_at', '<=', changedBefore)
          .orderBy('updated_at')
          .limit(limit)
          .$if(engine.name === 'postgres', (select) => select.forUpdate().skipLocked()),
      )
      .deleteFrom('records')
      .where('collection', '=', collection)
      .where('id', 'in', (database) => database.selectFrom('expired').select('id'))
      .returning('owner')
      .execute();
    // In one order, so that two who do this at once wait for each other.
    const owners = [...Map.groupBy(expired, ({ owner }) => owner)].sort(([one], [other]) =>
      one < other ? -1 : 1,
    );
    for (const [owner, { length }] of owners) {
      await releaseRecords(transaction, owner, collection, length).execute();
    }
    return expired.length;
  });
}

/** No statement of an erasure takes long, however much there is to erase. */
const mostAtOnce = 5_000;

export async function eraseOwner(
  engine: Engine,
  owner: string,
  audit: AuditEntry | null,
  budgets?: ErasedBudgets,
): Promise<Erased | null> {
  const erased = await engine.database.transaction().execute(async (transaction) => {
    // First, so that a write of this caller is done before or finds nobody afterwards.
    const consumer = await transaction
      .deleteFrom('consumers')
      .where('id', '=', owner)
      .returning('state')
      .execute();
    // Whom the operator has shut out does not come back as somebody new; only the operator erases it.
    if (audit === null && consumer.some(({ state }) => state === 'suspended'))
      throw new Refusal('consumer_suspended');
    const records = await eraseRecords(transaction, owner);
    const usage = await transaction.deleteFrom('usage').where('owner', '=', owner).returningAll().execute();
    const keys = await transaction
      .deleteFrom('idempotency_keys')
      .where('owner', '=', owner)
      .executeTakeFirst();
    const others = BigInt(consumer.length + usage.length) + keys.numDeletedRows;
    if (others === 0n && records.size === 0) return null;
    if (audit !== null) await writeAudit(transaction, audit);
    await engine.residue.note(transaction);
    await engine.announce(transaction);
    return {
      records: Object.fromEntries(records),
      idempotencyKeys: Number(keys.numDeletedRows),
      budgetsKeptUntil: budgets === undefined ? null : await keepBudgets(transaction, usage, budgets),
    };
  });
  // It is erased, whether or not the log can be emptied now.
  if (erased !== null) await engine.residue.flush().catch(() => {});
  return erased;
}

/** Until when what was spent stays; null when nothing does. */
async function keepBudgets(
  transaction: Database,
  usage: readonly Tables['usage'][],
  { former, endOf }: ErasedBudgets,
): Promise<number | null> {
  const spent = usage.flatMap((row) => {
    const ends_at = endOf(row.collection, toUsage(row));
    const { owner: _owner, records: _records, ...counts } = row;
    return ends_at === null ? [] : [{ ...counts, former, ends_at }];
  });
  if (spent.length === 0) return null;
  await transaction
    .insertInto('spent_budgets')
    .values(spent)
    .onConflict((conflict) => conflict.columns(['former', 'collection']).doNothing())
    .execute();
  return Math.max(...spent.map(({ ends_at }) => ends_at));
}

/** How many there were, by collection. */
async function eraseRecords(transaction: Database, owner: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (;;) {
    const gone = await transaction
      .with('batch', (database) =>
        database
          .selectFrom('records')
          .select(['collection', 'id'])
          .where('owner', '=', owner)
          .limit(mostAtOnce),
      )
      .deleteFrom('records')
      .where(sql`(collection, id)`, 'in', sql`(select collection, id from batch)`)
      .returning('collection')
      .execute();
    for (const { collection } of gone) counts.set(collection, (counts.get(collection) ?? 0) + 1);
    if (gone.length < mostAtOnce) return counts;
  }
}

/** Takes so many from an owner's count, which is never less than none. */
function releaseRecords(database: Database, owner: string, collection: string, count: number) {
  return database
    .updateTable('usage')
    .set({ records: sql`case when records > ${sql.lit(count)} then records - ${sql.lit(count)} else 0 end` })
    .where('owner', '=', owner)
    .where('collection', '=', collection);
}
