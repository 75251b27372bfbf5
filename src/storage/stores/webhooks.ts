import type { Engine } from '../engine.ts';
import type { AuditEntry, Webhook, WebhookRow, WebhookSecrets, WebhookStore } from '../port.ts';
import { type Database, rowFor, rowsOf } from '../schema.ts';
import { audited } from './audit.ts';
import { insertDeliveries, makeDue } from './deliveries.ts';

export function webhookStore(engine: Engine): WebhookStore {
  const { database } = engine;
  const all = rowsOf(engine.reader, 'webhooks');
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
          .values(
            rowFor('webhooks', {
              ...unused,
              ...webhook,
              ...columnsFor(webhook.secrets),
              position: last ?? 0,
            }),
          )
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
            ? { ...healthy, state: to.state, disabledBecause: null }
            : { state: to.state, disabledBecause: to.because };
        const { numUpdatedRows } = await transaction
          .updateTable('webhooks')
          .set(rowFor('webhooks', values))
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
          .set(rowFor('webhooks', columnsFor(secrets)))
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

const healthy = { failingSince: null, failures: 0, pausedUntil: null };

const unused = {
  ...healthy,
  state: 'active',
  disabledBecause: null,
  lastSuccessAt: null,
  lastFailure: null,
  delivered: 0,
} as const;

function columnsFor({ current, previous }: WebhookSecrets) {
  const { sealed: previousSecret = null, endsAt: previousEndsAt = null } = previous ?? {};
  return { secret: current, previousSecret, previousEndsAt };
}

function toWebhook({ secret, previousSecret, previousEndsAt, ...row }: WebhookRow): Webhook {
  const hasPrevious = previousSecret !== null && previousEndsAt !== null;
  const previous = hasPrevious ? { sealed: previousSecret, endsAt: previousEndsAt } : null;
  return { ...row, secrets: { current: secret, previous } };
}
