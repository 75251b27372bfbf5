import type { Selectable } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Client, ClientStore } from '../port.ts';
import type { Tables } from '../schema.ts';

export function clientStore(engine: Engine): ClientStore {
  const { database } = engine;
  return {
    add: (client, secret) =>
      database.transaction().execute(async (transaction) => {
        const added = await transaction
          .insertInto('clients')
          .values({ id: client.id, label: client.label, state: client.state, created_at: client.createdAt })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (added.numInsertedOrUpdatedRows !== 1n) return false;
        await transaction
          .insertInto('client_secrets')
          .values({
            id: secret.id,
            client_id: client.id,
            digest: secret.digest,
            created_at: secret.createdAt,
          })
          .execute();
        return true;
      }),

    /** One query whether the client exists or not, so that its time tells little. */
    async find(id) {
      const rows = await database
        .selectFrom('clients')
        .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.id')
        .select([
          'clients.id',
          'clients.label',
          'clients.state',
          'clients.created_at',
          'client_secrets.id as secret_id',
          'client_secrets.digest',
          'client_secrets.created_at as secret_created_at',
        ])
        .where('clients.id', '=', id)
        .orderBy('client_secrets.created_at')
        .orderBy('client_secrets.id')
        .execute();
      const [first] = rows;
      if (first === undefined) return null;
      const secrets = rows.flatMap(({ secret_id, digest, secret_created_at }) =>
        secret_id === null || digest === null || secret_created_at === null
          ? []
          : [{ id: secret_id, digest: new Uint8Array(digest), createdAt: secret_created_at }],
      );
      return { ...toClient(first), secrets };
    },

    async list() {
      const rows = await database
        .selectFrom('clients')
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toClient);
    },

    setState: (id, state) =>
      database.transaction().execute(async (transaction) => {
        const result = await transaction
          .updateTable('clients')
          .set({ state })
          .where('id', '=', id)
          .executeTakeFirst();
        await engine.announce(transaction);
        return result.numUpdatedRows === 1n;
      }),

    remove: (id) =>
      database.transaction().execute(async (transaction) => {
        const result = await transaction.deleteFrom('clients').where('id', '=', id).executeTakeFirst();
        await engine.announce(transaction);
        return result.numDeletedRows === 1n;
      }),
  };
}

function toClient(row: Selectable<Tables['clients']>): Client {
  return { id: row.id, label: row.label, state: row.state, createdAt: row.created_at };
}
