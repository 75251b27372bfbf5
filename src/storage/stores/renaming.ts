import type { Engine } from '../engine.ts';
import type { NewEvent, Renamed, Renaming, RenamingState } from '../port.ts';
import type { Database } from '../schema.ts';
import { appendEvents, renameEvents } from './events.ts';
import { batchOf, inBatch } from './owned-records.ts';

/** Thrown to undo what was begun: the new pseudonym got data while it was being looked at. */
class Taken extends Error {}

export async function renamedTo(database: Database, noted: Uint8Array): Promise<string | null> {
  const row = await database
    .selectFrom('renamed_consumers')
    .select('owner')
    .where('former', '=', noted)
    .executeTakeFirst();
  return row?.owner ?? null;
}

export async function examineRenaming(
  database: Database,
  { from, to, noted }: Renaming,
): Promise<RenamingState> {
  const isDone = (await renamedTo(database, noted)) === to;
  const consumer = await database
    .selectFrom('consumers')
    .select('state')
    .where('id', '=', from)
    .executeTakeFirst();
  if (consumer === undefined) return isDone ? 'done' : 'unknown';
  // It came once more with a token of before, and left nothing.
  if (isDone && !(await holdsData(database, from))) return 'done';
  return (await holdsData(database, to)) ? 'taken' : 'due';
}

/** All that is kept under one pseudonym is kept under the other, in one transaction: there is no half of it. */
export async function renameConsumer(engine: Engine, renaming: Renaming, event: NewEvent): Promise<Renamed> {
  try {
    const renamed = await engine.unhurried(async (transaction): Promise<Renamed> => {
      await lockBoth(engine, transaction, renaming);
      const state = await examineRenaming(transaction, renaming);
      if (state === 'due' || state === 'unknown') await renameSpentBudgets(transaction, renaming);
      if (state !== 'due') return { state, records: 0 };
      await replaceConsumer(transaction, renaming);
      const records = await renameRecords(transaction, renaming);
      for (const table of ['usage', 'idempotency_keys'] as const) {
        const { from, to } = renaming;
        await transaction.updateTable(table).set({ owner: to }).where('owner', '=', from).execute();
      }
      await noteFormer(transaction, renaming);
      // As when somebody is erased: whatever was told of the records is there by now, and the lock comes last.
      await renameEvents(transaction, renaming, event.type);
      await appendEvents(engine, transaction, [event]);
      await engine.announce(transaction, 'consumers');
      return { state, records };
    });
    if (renamed.state === 'due') engine.appended.note();
    return renamed;
  } catch (error) {
    if (error instanceof Taken) return { state: 'taken', records: 0 };
    throw error;
  }
}

/** In the order in which batches take them, so that neither waits for the other for ever. */
async function lockBoth(engine: Engine, transaction: Database, { from, to }: Renaming): Promise<void> {
  await transaction
    .selectFrom('consumers')
    .select('id')
    .where('id', 'in', [from, to])
    .orderBy('id')
    .$if(engine.name === 'postgres', (select) => select.forUpdate())
    .execute();
}

/** It is the consumer that it was, and who was shut out under either of the two is so. */
async function replaceConsumer(transaction: Database, { from, to }: Renaming): Promise<void> {
  const before = await transaction
    .selectFrom('consumers')
    .select(['kind', 'state', 'registered_at'])
    .where('id', '=', from)
    .executeTakeFirstOrThrow();
  const found = await transaction
    .insertInto('consumers')
    .values({ id: to, ...before })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ kind: before.kind }))
    .returning(['state', 'registered_at'])
    .executeTakeFirstOrThrow();
  // Once its row is ours: it may have come in and written something since it was looked at.
  if (await holdsData(transaction, to)) throw new Taken();
  const isSuspended = before.state === 'suspended' || found.state === 'suspended';
  await transaction
    .updateTable('consumers')
    .set({
      state: isSuspended ? 'suspended' : 'active',
      registered_at: Math.min(Number(before.registered_at), Number(found.registered_at)),
    })
    .where('id', '=', to)
    .execute();
  await transaction.deleteFrom('consumers').where('id', '=', from).execute();
}

async function renameRecords(transaction: Database, { from, to }: Renaming): Promise<number> {
  for (let count = 0; ; ) {
    const { numUpdatedRows } = await transaction
      .with('batch', batchOf(from))
      .updateTable('records')
      .set({ owner: to })
      .where(...inBatch)
      .where('owner', '=', from)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return count;
    count += Number(numUpdatedRows);
  }
}

/** Who was erased at the provider before has spent at this one what it had spent there. */
async function renameSpentBudgets(transaction: Database, { former: { from, to } }: Renaming): Promise<void> {
  await transaction
    .updateTable('spent_budgets')
    .set({ former: to })
    .where('former', '=', from)
    .where('collection', 'not in', (select) =>
      select.selectFrom('spent_budgets').select('collection').where('former', '=', to),
    )
    .execute();
}

/** Also of all pseudonyms that it had before that one. */
async function noteFormer(transaction: Database, { from, to, noted }: Renaming): Promise<void> {
  await transaction.updateTable('renamed_consumers').set({ owner: to }).where('owner', '=', from).execute();
  await transaction
    .insertInto('renamed_consumers')
    .values({ former: noted, owner: to })
    .onConflict((conflict) => conflict.column('former').doUpdateSet({ owner: to }))
    .execute();
}

/** More than that it has been here. */
async function holdsData(database: Database, owner: string): Promise<boolean> {
  for (const table of ['usage', 'records', 'idempotency_keys'] as const) {
    const row = await database
      .selectFrom(table)
      .select('owner')
      .where('owner', '=', owner)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}
