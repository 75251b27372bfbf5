import { type Selectable, sql } from 'kysely';
import { clockDifferenceMs } from '../../base/clock.ts';
import type { Engine } from '../engine.ts';
import type { Delivery, DeliveryStore } from '../port.ts';
import type { Tables } from '../schema.ts';
import { writeAudit } from './audit.ts';
import { anew, insertDeliveries, recordAttempts } from './delivery-changes.ts';

/** How many due rows are read to find the first of each key. */
const lookedAt = 100;
const deliveryColumns = ['position', 'attempts', 'due_at', 'state', 'reason', 'tried_at'] as const;

export function deliveryStore(engine: Engine): DeliveryStore {
  const { database, reader } = engine;
  const failed = (webhookId: string) =>
    reader
      .selectFrom('deliveries')
      .where('webhook_id', '=', webhookId)
      // Written out, so that the partial index is used.
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
      // Where one of a record is here, so is the first of it that is pending.
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
