import { readScopes, writeScopes } from '../../base/scopes.ts';
import type { Engine } from '../engine.ts';
import type {
  AuditEntry,
  ClientMac,
  ClientRow,
  ClientSecret,
  ClientStore,
  ClientWithSecrets,
} from '../port.ts';
import { columnsOf, type Database, insertNew, rowFor } from '../schema.ts';
import { audited, writeAudit } from './audit.ts';

/** Longer than the lifetime of any token. */
const keepExpiredMs = 2 * 86_400_000;

type Unsealed = Omit<ClientWithSecrets, 'mac'>;

export function clientStore(engine: Engine, clientMac: ClientMac): ClientStore {
  const { database } = engine;

  /** Locks a client until the transaction ends; null if its MAC is wrong. */
  const lockGenuine = async (transaction: Database, id: string): Promise<ClientWithSecrets | null> => {
    await engine.lock(transaction, `client:${id}`);
    const client = await findClient(transaction, id);
    return clientMac.isGenuine(client) ? client : null;
  };
  /** Ends a change: MAC, audit entry and announcement. The MAC covers the intended client, not the row in the database. */
  const conclude = async (transaction: Database, client: Unsealed, audit: AuditEntry): Promise<void> => {
    const mac = clientMac.of(client);
    await transaction.updateTable('clients').set({ mac }).where('id', '=', client.id).execute();
    await writeAudit(transaction, audit);
    await engine.announce(transaction, 'clients');
  };
  /** `work` returns the changed client. False if there is none or `work` returns none: then nothing changes. */
  const change = (
    id: string,
    audit: AuditEntry,
    work: (transaction: Database, client: Unsealed) => Promise<Unsealed | null>,
  ) =>
    database.transaction().execute(async (transaction) => {
      const client = await lockGenuine(transaction, id);
      const changed = client && (await work(transaction, client));
      if (changed === null) return false;
      await conclude(transaction, changed, audit);
      return true;
    });
  const update = (id: string, values: Partial<Pick<Unsealed, 'state' | 'scopes'>>, audit: AuditEntry) =>
    change(id, audit, async (transaction, client) => {
      const changed = { ...client, ...values };
      const result = await transaction
        .updateTable('clients')
        .set({ state: changed.state, scopes: writeScopes(changed.scopes) })
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n ? changed : null;
    });

  return {
    add: (client, secret, audit) =>
      database.transaction().execute(async (transaction) => {
        const row = { ...client, scopes: writeScopes(client.scopes), mac: null };
        if ((await insertNew(transaction, 'clients', [row])) === 0) return false;
        // Secrets without a client were planted by a writer without the master secret.
        await transaction.deleteFrom('client_secrets').where('client_id', '=', client.id).execute();
        if (secret !== null) await insertSecret(transaction, client.id, secret);
        await conclude(transaction, { ...client, secrets: secret === null ? [] : [secret] }, audit);
        return true;
      }),

    find: (id) => findClient(engine.reader, id),

    list: async () => toClients(await withSecrets(engine.reader).execute()),

    setState: (id, state, audit) => update(id, { state }, audit),

    setScopes: (id, scopes, audit) => update(id, { scopes }, audit),

    remove: (id, audit) =>
      audited(engine, 'clients', audit, async (transaction) => {
        const result = await transaction.deleteFrom('clients').where('id', '=', id).executeTakeFirst();
        return result.numDeletedRows === 1n;
      }),

    addSecret: (clientId, secret, { now, maxLive, othersExpireAt }, audit) =>
      database.transaction().execute(async (transaction) => {
        const client = await lockGenuine(transaction, clientId);
        if (client === null) return 'no_such_client';
        const live = client.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
        if (live.length >= maxLive) return 'too_many';
        // Not deleted at once: tokens that were issued for them are still valid for a while.
        const forgetUntil = now - keepExpiredMs;
        await transaction
          .deleteFrom('client_secrets')
          .where('client_id', '=', clientId)
          .where('expires_at', '<=', forgetUntil)
          .execute();
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
        const others = client.secrets
          .filter(({ expiresAt }) => expiresAt === null || expiresAt > forgetUntil)
          .map((other) => ({ ...other, expiresAt: earlier(other.expiresAt, othersExpireAt) }));
        await conclude(transaction, { ...client, secrets: [...others, secret] }, audit);
        return 'added';
      }),

    removeSecret: (clientId, secretId, audit) =>
      change(clientId, audit, async (transaction, client) => {
        const result = await transaction
          .deleteFrom('client_secrets')
          .where('client_id', '=', clientId)
          .where('id', '=', secretId)
          .executeTakeFirst();
        if (result.numDeletedRows !== 1n) return null;
        return { ...client, secrets: client.secrets.filter(({ id }) => id !== secretId) };
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

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** One query whether the client exists or not (timing). */
async function findClient(database: Database, id: string): Promise<ClientWithSecrets | null> {
  return toClients(await withSecrets(database).where('clients.id', '=', id).execute())[0] ?? null;
}

async function insertSecret(transaction: Database, clientId: string, secret: ClientSecret): Promise<void> {
  await transaction
    .insertInto('client_secrets')
    .values(rowFor('client_secrets', { ...secret, clientId }))
    .execute();
}

function withSecrets(database: Database) {
  return database
    .selectFrom('clients')
    .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.id')
    .select(columnsOf('clients'))
    .$castTo<ClientRow>()
    .select([
      'client_secrets.id as secretId',
      'client_secrets.digest',
      'client_secrets.label as secretLabel',
      'client_secrets.created_at as secretCreatedAt',
      'client_secrets.expires_at as expiresAt',
      'client_secrets.last_used_on as lastUsedOn',
    ])
    .orderBy('clients.created_at')
    .orderBy('clients.id')
    .orderBy('client_secrets.created_at')
    .orderBy('client_secrets.id');
}

type Row = Awaited<ReturnType<ReturnType<typeof withSecrets>['execute']>>[number];

function toClients(rows: readonly Row[]): ClientWithSecrets[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((ofOne) => {
    const [{ id, label, state, createdAt, scopes, publicKeys, mac }] = ofOne as [Row];
    const client = { id, label, state, createdAt, scopes: readScopes(scopes) ?? [], publicKeys, mac };
    return { ...client, secrets: ofOne.flatMap(toSecret) };
  });
}

function toSecret(row: Row): ClientSecret[] {
  const { secretId: id, digest, secretCreatedAt: createdAt, secretLabel, expiresAt, lastUsedOn } = row;
  if (id === null || digest === null || createdAt === null) return [];
  return [{ id, label: secretLabel ?? '', digest, createdAt, expiresAt, lastUsedOn }];
}
