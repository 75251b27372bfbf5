import type { Selectable } from 'kysely';
import type { Engine } from '../engine.ts';
import type { AuditEntry, ClientSecret, ClientStore, ClientWithSecrets } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { writeAudit } from './audit.ts';

/** Longer than any token lives. */
const keepExpiredMs = 2 * 86_400_000;

export function clientStore(engine: Engine): ClientStore {
  const { database } = engine;

  /** A change of one client: made, written down and announced together, or not at all. */
  const change = (audit: AuditEntry, work: (transaction: Database) => Promise<boolean>): Promise<boolean> =>
    database.transaction().execute(async (transaction) => {
      const changed = await work(transaction);
      if (!changed) return false;
      await writeAudit(transaction, audit);
      await engine.announce(transaction);
      return true;
    });
  const update = (
    id: string,
    values: Partial<Pick<Tables['clients'], 'state' | 'scopes'>>,
    audit: AuditEntry,
  ) =>
    change(audit, async (transaction) => {
      const result = await transaction
        .updateTable('clients')
        .set(values)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    });

  return {
    add: (client, secret, audit) =>
      change(audit, async (transaction) => {
        const added = await transaction
          .insertInto('clients')
          .values({
            id: client.id,
            label: client.label,
            state: client.state,
            created_at: client.createdAt,
            scopes: client.scopes.join(' '),
            public_keys: client.publicKeys,
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (added.numInsertedOrUpdatedRows !== 1n) return false;
        if (secret !== null) await insertSecret(transaction, client.id, secret);
        return true;
      }),

    /** One query whether the client exists or not, so that its time tells little. */
    find: async (id) =>
      toClients(await withSecrets(database).where('clients.id', '=', id).execute())[0] ?? null,

    list: async () => toClients(await withSecrets(database).execute()),

    setState: (id, state, audit) => update(id, { state }, audit),

    setScopes: (id, scopes, audit) => update(id, { scopes: scopes.join(' ') }, audit),

    remove: (id, audit) =>
      change(audit, async (transaction) => {
        const result = await transaction.deleteFrom('clients').where('id', '=', id).executeTakeFirst();
        return result.numDeletedRows === 1n;
      }),

    addSecret: (clientId, secret, { now, mostLive, othersExpireAt }, audit) =>
      database.transaction().execute(async (transaction) => {
        await engine.lock(transaction, `client:${clientId}`);
        const client = await transaction
          .selectFrom('clients')
          .select('id')
          .where('id', '=', clientId)
          .executeTakeFirst();
        if (client === undefined) return 'no_such_client';
        // Not at once: tokens that were issued for them live on for a while.
        await transaction
          .deleteFrom('client_secrets')
          .where('client_id', '=', clientId)
          .where('expires_at', '<=', now - keepExpiredMs)
          .execute();
        const live = await transaction
          .selectFrom('client_secrets')
          .select('id')
          .where('client_id', '=', clientId)
          .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
          .execute();
        if (live.length >= mostLive) return 'too_many';
        if (othersExpireAt !== null) {
          await transaction
            .updateTable('client_secrets')
            .set({ expires_at: othersExpireAt })
            .where('client_id', '=', clientId)
            .where((where) =>
              where.or([where('expires_at', 'is', null), where('expires_at', '>', othersExpireAt)]),
            )
            .execute();
        }
        await insertSecret(transaction, clientId, secret);
        await writeAudit(transaction, audit);
        await engine.announce(transaction);
        return 'added';
      }),

    removeSecret: (clientId, secretId, audit) =>
      change(audit, async (transaction) => {
        const result = await transaction
          .deleteFrom('client_secrets')
          .where('client_id', '=', clientId)
          .where('id', '=', secretId)
          .executeTakeFirst();
        return result.numDeletedRows === 1n;
      }),

    async noteUse(secretId, day) {
      await database
        .updateTable('client_secrets')
        .set({ last_used_on: day })
        .where('id', '=', secretId)
        .where((where) => where.or([where('last_used_on', 'is', null), where('last_used_on', '<', day)]))
        .execute();
    },
  };
}

async function insertSecret(transaction: Database, clientId: string, secret: ClientSecret): Promise<void> {
  await transaction
    .insertInto('client_secrets')
    .values({
      id: secret.id,
      client_id: clientId,
      digest: secret.digest,
      created_at: secret.createdAt,
      label: secret.label,
      expires_at: secret.expiresAt,
      last_used_on: secret.lastUsedOn,
    })
    .execute();
}

function withSecrets(database: Database) {
  return database
    .selectFrom('clients')
    .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.id')
    .selectAll('clients')
    .select([
      'client_secrets.id as secret_id',
      'client_secrets.digest',
      'client_secrets.label as secret_label',
      'client_secrets.created_at as secret_created_at',
      'client_secrets.expires_at',
      'client_secrets.last_used_on',
    ])
    .orderBy('clients.created_at')
    .orderBy('clients.id')
    .orderBy('client_secrets.created_at')
    .orderBy('client_secrets.id');
}

type Row = Awaited<ReturnType<ReturnType<typeof withSecrets>['execute']>>[number];

function toClients(rows: readonly Row[]): ClientWithSecrets[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((ofOne) => {
    const [first] = ofOne as [Row];
    return { ...toClient(first), secrets: ofOne.flatMap(toSecret) };
  });
}

function toClient(row: Selectable<Tables['clients']>) {
  return {
    id: row.id,
    label: row.label,
    state: row.state,
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    publicKeys: row.public_keys,
    createdAt: row.created_at,
  };
}

function toSecret(row: Row): ClientSecret[] {
  const { secret_id, digest, secret_created_at, secret_label } = row;
  if (secret_id === null || digest === null || secret_created_at === null) return [];
  return [
    {
      id: secret_id,
      label: secret_label ?? '',
      digest: new Uint8Array(digest),
      createdAt: secret_created_at,
      expiresAt: row.expires_at,
      lastUsedOn: row.last_used_on,
    },
  ];
}
