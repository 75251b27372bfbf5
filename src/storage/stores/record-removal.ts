import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import { createRecordId } from '../../base/random.ts';
import type { Engine } from '../engine.ts';
import type {
  AuditEntry,
  Erased,
  ErasedBudgets,
  Erasure,
  ErasureNotes,
  NewEvent,
  ParentLink,
  StoredRecord,
  UsageRow,
} from '../port.ts';
import { columnsOf, type Database, insertNew } from '../schema.ts';
import { writeAudit } from './audit.ts';
import { noteErasures } from './erasures.ts';
import { appendEvents, eraseEvents, keepMemberEvents } from './events.ts';
import { afterRemoval, finishHandOvers, levelIn, removeRecords } from './parents.ts';
import { useProof } from './used-once.ts';

/** Deletes expired records. Skips locked records. */
export function expireRecords(
  engine: Engine,
  links: readonly ParentLink[],
  collection: string,
  changedBefore: number,
  limit: number,
  eventOf: (record: StoredRecord) => NewEvent | null,
): Promise<number> {
  return engine.database.transaction().execute((transaction) => {
    const ids = transaction
      .selectFrom('records')
      .select('id')
      // A literal, so that the index of this collection is used.
      .where('collection', '=', sql.lit(collection))
      .where('updated_at', '<=', changedBefore)
      .orderBy('updated_at')
      .limit(limit)
      .$if(engine.name === 'postgres', (select) => select.forUpdate().skipLocked());
    return removeRecords(engine, transaction, { links, collection, ids, at: changedBefore, eventOf });
  });
}

interface ErasedOwner {
  readonly owner: string;
  readonly audit: AuditEntry | null;
  readonly event: NewEvent;
  readonly budgets?: ErasedBudgets | undefined;
  readonly proof?: UsedProof | null;
  /** When it was noted already; otherwise now. */
  readonly erasure?: Erasure;
}

export async function eraseOwner(
  engine: Engine,
  links: readonly ParentLink[],
  notes: ErasureNotes,
  { owner, audit, event, budgets, proof = null, erasure }: ErasedOwner,
): Promise<Erased | null> {
  const erased = await engine.database.transaction().execute(async (transaction) => {
    // The caller is locked first, so that a concurrent write of this caller comes before or finds no caller. Its records come next, and
    // its row with its memberships after them: writes lock callers, records and members in this order.
    const consumer = await transaction
      .selectFrom('consumers')
      .select('state')
      .where('id', '=', owner)
      .$if(engine.name === 'postgres', (select) => select.forUpdate())
      .execute();
    if (proof !== null) await useProof(transaction, proof);
    // A suspended caller must not come back as a new one; only the operator erases it.
    if (audit === null && consumer.some(({ state }) => state === 'suspended'))
      throw new Refusal('consumer_suspended');
    const records = await eraseRecords(engine, transaction, links, { owner, event });
    await transaction.deleteFrom('consumers').where('id', '=', owner).execute();
    const usage = await transaction
      .deleteFrom('usage')
      .where('owner', '=', owner)
      .returning(columnsOf('usage'))
      .$castTo<UsageRow>()
      .execute();
    const keys = await transaction
      .deleteFrom('idempotency_keys')
      .where('owner', '=', owner)
      .executeTakeFirst();
    const others = BigInt(consumer.length + usage.length) + keys.numDeletedRows;
    if (others === 0n && records.size === 0) return null;
    if (audit !== null) await writeAudit(transaction, audit);
    await noteErasure(transaction, notes, erasure ?? { owner, at: event.at });
    await engine.residue.note(transaction, 'erasures');
    const budgetsKeptUntil = budgets === undefined ? null : await keepBudgets(transaction, usage, budgets);
    // After the records, which nobody can change any more: whatever was told of them is there by now. Most of it goes before the lock
    // is taken, for which others wait, and the last event of all once there is one after it: its position must not be given again.
    await forgetRoles(transaction, notes.topicOf(owner));
    await keepMemberEvents(transaction, owner);
    await eraseEvents(transaction, owner);
    await appendEvents(engine, transaction, [event]);
    await eraseEvents(transaction, owner);
    await engine.announce(transaction, 'consumers');
    return {
      records: Object.fromEntries(records),
      idempotencyKeys: Number(keys.numDeletedRows),
      budgetsKeptUntil,
    };
  });
  if (erased === null) return null;
  // Best effort: the rows are deleted already.
  await engine.residue.flush().catch(() => {});
  return erased;
}

/**
 * Events of others still say that a member joined. If the caller returns, its streams must not follow those records again.
 */
async function forgetRoles(transaction: Database, topic: string): Promise<void> {
  await transaction.deleteFrom('event_topics').where('topic', '=', Buffer.from(topic, 'hex')).execute();
}

/** The erasure log outside of the database comes first: without it nothing is erased. */
async function noteErasure(
  transaction: Database,
  notes: ErasureNotes,
  noted: Erasure | { readonly owner: string; readonly at: number },
): Promise<void> {
  if ('id' in noted) return noteErasures(transaction, [noted]);
  const { owner, at } = noted;
  const erasure = { id: createRecordId(at), digest: notes.digestOf(owner), at };
  await noteErasures(transaction, [erasure]);
  await notes.append(erasure);
}

/** Returns how long budgets are kept; null when none are. */
async function keepBudgets(
  transaction: Database,
  usage: readonly UsageRow[],
  { former, endOf }: ErasedBudgets,
): Promise<number | null> {
  const spent = usage.flatMap((row) => {
    const endsAt = endOf(row.collection, row);
    return endsAt === null ? [] : [{ ...row, former, endsAt }];
  });
  if (spent.length === 0) return null;
  await insertNew(transaction, 'spent_budgets', spent);
  return Math.max(...spent.map(({ endsAt }) => endsAt));
}

/** The limit on records per statement, so that no statement takes long. */
const batchSize = 5_000;

async function eraseRecords(
  engine: Engine,
  transaction: Database,
  links: readonly ParentLink[],
  { owner, event }: Pick<ErasedOwner, 'owner' | 'event'>,
): Promise<Map<string, number>> {
  await finishHandOvers(transaction, links, owner, event.at);
  const counts = new Map<string, number>();
  for (;;) {
    const gone = await transaction
      .with('some', (database) =>
        database
          .selectFrom('records')
          .select(['collection', 'id'])
          .where('owner', '=', owner)
          .limit(batchSize),
      )
      .with('batch', (database) =>
        database
          .selectFrom('records')
          .innerJoin('some', (join) =>
            join.onRef('some.collection', '=', 'records.collection').onRef('some.id', '=', 'records.id'),
          )
          .select(['records.collection', 'records.id'])
          // Checked again: a hand-over may have been committed while this waited for the lock.
          .where('owner', '=', owner)
          // Parents first, in the lock order of writes.
          .$if(links.length > 0, (select) => select.orderBy(levelIn(links)))
          .orderBy('records.collection')
          .orderBy('records.id')
          .$if(engine.name === 'postgres', (select) => select.forUpdate('records')),
      )
      .deleteFrom('records')
      .where(sql`(collection, id)`, 'in', sql`(select collection, id from batch)`)
      .returning(['collection', 'id', 'state', 'parent_id as parentId'])
      .execute();
    await afterRemoval(transaction, links, gone, event.at);
    for (const { collection } of gone) counts.set(collection, (counts.get(collection) ?? 0) + 1);
    // Not if fewer than the limit were found: another process may have deleted some of them.
    if (gone.length === 0) return counts;
  }
}
