import type { Insertable, Selectable } from 'kysely';
import type { Engine } from '../engine.ts';
import type { AuditEntry, NewWebhook, Webhook, WebhookSecrets, WebhookStore } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { audited } from './audit.ts';
import { insertDeliveries, makeDue } from './deliveries.ts';

export function webhookStore(engine: Engine): WebhookStore {
  const { database } = engine;
  const all = engine.reader.selectFrom('webhooks').selectAll();
  const change = (audit: AuditEntry, work: (transaction: Database) => Promise<boolean>) =>
    audited(engine, 'webhooks', audit, work);

  return {
    async add(webhook, audit) {
      await change(audit, async (transaction) => {
        const { last } = await transaction
          .selectFrom('events')
          .select((select) => select.fn.max('position').as('last'))
          .executeTakeFirstOrThrow();
        await transaction
          .insertInto('webhooks')
          .values(newRow(webhook, last ?? 0))
          .execute();
        return true;
      });
    },

    async find(id) {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toWebhook(row);
    },

    list: async () => (await all.orderBy('created_at').orderBy('id').execute()).map(toWebhook),

    setState: (id, to, audit) =>
      change(audit, async (transaction) => {
        const values =
          to.state === 'active'
            ? { state: to.state, disabled_because: null, ...healthy }
            : { state: to.state, disabled_because: to.because };
        const { numUpdatedRows } = await transaction
          .updateTable('webhooks')
          .set(values)
          .where('id', '=', id)
          .where('state', '!=', to.state)
          .executeTakeFirst();
        if (to.state === 'active' && numUpdatedRows === 1n) await makeDue(transaction, id, audit.at);
        return numUpdatedRows === 1n;
      }),

    replaceSecrets: (id, expected, secrets, audit) =>
      change(audit, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('webhooks')
          .set(secretColumns(secrets))
          .where('id', '=', id)
          .where('secret', '=', expected)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),

    remove: (id, audit) =>
      change(audit, async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('webhooks')
          .where('id', '=', id)
          .executeTakeFirst();
        return numDeletedRows === 1n;
      }),

    advance: (id, { from, to, found, now }) =>
      database.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('webhooks')
          .set({ position: to })
          .where('id', '=', id)
          .where('position', '=', from)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        await insertDeliveries(engine, transaction, id, found, now);
        return true;
      }),
  };
}

const healthy = { failing_since: null, failures: 0, paused_until: null };

function newRow(webhook: NewWebhook, position: number): Insertable<Tables['webhooks']> {
  const { id, url, events, secrets, createdAt } = webhook;
  return {
    id,
    url,
    events,
    ...secretColumns(secrets),
    created_at: createdAt,
    state: 'active',
    disabled_because: null,
    position,
    ...healthy,
    last_success_at: null,
    last_failure: null,
    delivered: 0,
  };
}

function secretColumns({ current, previous }: WebhookSecrets) {
  return {
    secret: current,
    previous_secret: previous?.sealed ?? null,
    previous_ends_at: previous?.endsAt ?? null,
  };
}

function toWebhook(row: Selectable<Tables['webhooks']>): Webhook {
  const { previous_secret: sealed, previous_ends_at: endsAt } = row;
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    secrets: {
      current: new Uint8Array(row.secret),
      previous: sealed === null || endsAt === null ? null : { sealed: new Uint8Array(sealed), endsAt },
    },
    createdAt: row.created_at,
    state: row.state,
    disabledBecause: row.disabled_because,
    position: row.position,
    failingSince: row.failing_since,
    failures: row.failures,
    pausedUntil: row.paused_until,
    lastSuccessAt: row.last_success_at,
    lastFailure: row.last_failure,
    delivered: row.delivered,
  };
}
