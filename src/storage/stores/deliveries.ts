import { type Selectable, sql } from 'kysely';
import { clockDifferenceMs } from '../../base/clock.ts';
import type { Engine } from '../engine.ts';
import type { AttemptResults, Delivery, DeliveryStore, NewDelivery } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { writeAudit } from './audit.ts';
import { chunksOf } from './events.ts';

/** How many due rows are read to find the first of each key. */
const lookedAt = 100;
const deliveryColumns = ['position', 'attempts', 'due_at', 'state', 'reason', 'tried_at'] as const;

export function deliveryStore(engine: Engine): DeliveryStore {
  const { database, reader } = engine;
  const failed = (webhookId: string) =>
    reader
      .selectFrom('deliveries')
      .where('webhook_id', '=', webhookId)
      // A literal, so that the partial index is used.
      .where('state', '=', sql.lit('pending'))
      .where('tried_at', 'is not', null);
  /** Keys that wait for a retry. An attempt in the future was recorded by a wrong clock, and does not count. */
  const waiting = (webhookId: string, now: number) =>
    failed(webhookId)
      .select('record_key')
      .where('due_at', '>', now)
      .where('tried_at', '<=', now + clockDifferenceMs);

  return {
    async due(webhookId, now, { limit, exceptKeys }) {
      const rows = await reader
        .selectFrom('deliveries')
        .select([...deliveryColumns, 'record_key'])
        .where('webhook_id', '=', webhookId)
        .where('state', '=', 'pending')
        .where((where) =>
          where.or([
            where('tried_at', 'is', null),
            where('due_at', '<=', now),
            where('tried_at', '>', now + clockDifferenceMs),
          ]),
        )
        .$if(exceptKeys.length > 0, (query) => query.where('record_key', 'not in', exceptKeys))
        .where('record_key', 'not in', waiting(webhookId, now))
        .orderBy('position')
        .limit(lookedAt)
        .execute();
      // If one delivery of a record is here, so is the first pending one.
      const seen = new Set<string>();
      const firsts = rows.filter(({ record_key: key }) => !seen.has(key) && seen.add(key));
      const heads = firsts.slice(0, limit);
      if (heads.length === 0) return [];
      const events = await reader
        .selectFrom('events')
        .selectAll()
        .where(
          'position',
          'in',
          heads.map(({ position }) => position),
        )
        .execute();
      const known = new Map(events.map((event) => [event.position, event]));
      return heads.flatMap((row) => {
        const event = known.get(row.position);
        return event === undefined ? [] : [toDelivery({ ...event, ...row })];
      });
    },

    async nextDueAt(webhookId, after) {
      const { next } = await failed(webhookId)
        .where('due_at', '>', after)
        .select((select) => select.fn.min('due_at').as('next'))
        .executeTakeFirstOrThrow();
      return next ?? null;
    },

    record: (webhookId, results) =>
      database
        .transaction()
        .execute((transaction) => recordAttempts(engine, transaction, webhookId, results)),

    async sendAgain(webhookId, deliveries, now) {
      return database
        .transaction()
        .execute((transaction) => insertDeliveries(engine, transaction, webhookId, deliveries, now));
    },

    async reviveDead(webhookId, now) {
      const { numUpdatedRows } = await database
        .updateTable('deliveries')
        .set({ ...anew, due_at: now })
        .where('webhook_id', '=', webhookId)
        .where('state', '=', sql.lit('dead'))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    noteReplay: (webhookId, audit) =>
      database.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('webhooks')
          .set({ paused_until: null })
          .where('id', '=', webhookId)
          .execute();
        await writeAudit(transaction, audit);
        await engine.announce(transaction, 'webhooks');
      }),

    async list(webhookId, state, limit) {
      const rows = await reader
        .selectFrom('deliveries')
        .innerJoin('events', 'events.position', 'deliveries.position')
        .selectAll('events')
        .select(['attempts', 'due_at', 'state', 'reason', 'tried_at'])
        .where('deliveries.webhook_id', '=', webhookId)
        .$if(state !== null, (query) => query.where('deliveries.state', '=', state as 'pending'))
        .orderBy('deliveries.position')
        .limit(limit)
        .execute();
      return rows.map(toDelivery);
    },

    async counts() {
      const webhooks = await reader.selectFrom('webhooks').select('id').execute();
      return Promise.all(
        webhooks.map(async ({ id }) => {
          const of = reader.selectFrom('deliveries').where('webhook_id', '=', id);
          const { dead } = await of
            .where('deliveries.state', '=', sql.lit('dead'))
            .select((select) => select.fn.countAll<number>().as('dead'))
            .executeTakeFirstOrThrow();
          const oldest = await of
            .innerJoin('events', 'events.position', 'deliveries.position')
            .where('deliveries.state', '=', 'pending')
            .select('events.at')
            .orderBy('deliveries.position')
            .limit(1)
            .executeTakeFirst();
          return { webhookId: id, dead: Number(dead), oldestAt: oldest?.at ?? null };
        }),
      );
    },
  };
}

type Row = Pick<
  Selectable<Tables['deliveries']>,
  'position' | 'attempts' | 'due_at' | 'state' | 'reason' | 'tried_at'
> &
  Omit<Selectable<Tables['events']>, 'position'>;

function toDelivery(row: Row): Delivery {
  const { position, at, type, collection, record_id: recordId, owner, data } = row;
  return {
    position,
    attempts: row.attempts,
    dueAt: row.due_at,
    state: row.state,
    reason: row.reason,
    triedAt: row.tried_at,
    event: { position, at, type, collection, recordId, owner, data },
  };
}

const anew = { state: 'pending', attempts: 0, reason: null, tried_at: null } as const;

/** Only for events that still exist; PostgreSQL waits here for a transaction that deletes one. Existing rows start anew. */
export async function insertDeliveries(
  engine: Engine,
  transaction: Database,
  webhookId: string,
  deliveries: readonly NewDelivery[],
  dueAt: number,
): Promise<number> {
  let count = 0;
  for (const some of chunksOf(deliveries)) {
    const positions = some.map(({ position }) => position);
    const there = await transaction
      .selectFrom('events')
      .select('position')
      .where('position', 'in', positions)
      .$if(engine.name === 'postgres', (query) => query.forKeyShare())
      .execute();
    const kept = new Set(there.map(({ position }) => position));
    const rows = some
      .filter(({ position }) => kept.has(position))
      .map(({ position, key }) => ({
        webhook_id: webhookId,
        position,
        record_key: key,
        due_at: dueAt,
        ...anew,
      }));
    if (rows.length === 0) continue;
    count += rows.length;
    await transaction
      .insertInto('deliveries')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['webhook_id', 'position']).doUpdateSet({ ...anew, due_at: dueAt }),
      )
      .execute();
  }
  return count;
}

/** Makes failed deliveries due now. */
export async function makeDue(transaction: Database, webhookId: string, now: number): Promise<void> {
  await transaction
    .updateTable('deliveries')
    .set({ due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', sql.lit('pending'))
    .where('tried_at', 'is not', null)
    .where('due_at', '>', now)
    .execute();
}

async function recordAttempts(
  engine: Engine,
  transaction: Database,
  webhookId: string,
  results: AttemptResults,
): Promise<void> {
  const { at, delivered, failed, health, retryFailedSince } = results;
  // The webhook is locked first: all transactions that change both lock in this order.
  await transaction
    .updateTable('webhooks')
    .set(({ eb }) => ({
      delivered: eb('delivered', '+', delivered.length),
      ...(delivered.length > 0 ? { last_success_at: at } : {}),
      ...(failed.length > 0 ? { last_failure: failed.at(-1)?.reason ?? null } : {}),
      failing_since: health.failingSince,
      failures: health.failures,
      paused_until: health.pausedUntil,
    }))
    .where('id', '=', webhookId)
    .execute();
  // Locked by position, in the order in which an erasure deletes them: no deadlock.
  const positions = [...delivered, ...failed].map(({ position }) => position);
  if (engine.name === 'postgres' && positions.length > 0)
    await transaction
      .selectFrom('deliveries')
      .select('position')
      .where('webhook_id', '=', webhookId)
      .where('position', 'in', positions)
      .orderBy('position')
      .forUpdate()
      .execute();
  if (delivered.length > 0)
    await transaction
      .deleteFrom('deliveries')
      .where('webhook_id', '=', webhookId)
      .where(({ eb, or }) =>
        or(delivered.map(({ position, dueAt }) => eb('position', '=', position).and('due_at', '=', dueAt))),
      )
      .execute();
  for (const { position, reason, retryAt } of failed)
    await transaction
      .updateTable('deliveries')
      .set(({ eb }) => ({
        attempts: eb('attempts', '+', 1),
        reason,
        tried_at: at,
        ...(retryAt === null ? { state: 'dead' as const } : { due_at: retryAt }),
      }))
      .where('webhook_id', '=', webhookId)
      .where('position', '=', position)
      .execute();
  if (retryFailedSince !== null)
    await transaction
      .updateTable('deliveries')
      .set({ due_at: at })
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .where('due_at', '>', at)
      .where('tried_at', '>=', retryFailedSince)
      .execute();
}
