import { sql } from 'kysely';
import { OperatorError } from '../base/errors.ts';
import { type ColumnTypes, columnTypes } from './column-types.ts';
import type { Engine } from './engine.ts';
import type { StorageKeys } from './port.ts';
import { createRecordTables, createSpentBudgets } from './record-tables.ts';
import type { Database } from './schema.ts';
import { sealClients } from './stores/clients.ts';
import { documents } from './stores/documents.ts';

/** One step forward. A step that has been released is never changed; the next change is a new step. */
interface Migration {
  readonly version: number;
  up(database: Database, types: ColumnTypes, keys: StorageKeys): Promise<void>;
}

const migrations: readonly Migration[] = [
  {
    version: 1,
    async up(database, types) {
      const { schema } = database;
      await schema
        .createTable('clients')
        .addColumn('id', types.text, (column) => column.primaryKey().notNull())
        .addColumn('label', types.text, (column) => column.notNull())
        .addColumn('state', types.text, (column) =>
          column.notNull().check(sql`state in ('active', 'disabled')`),
        )
        .addColumn('created_at', types.integer, (column) => column.notNull())
        .modifyEnd(types.tableEnd)
        .execute();
      await schema
        .createTable('client_secrets')
        .addColumn('id', types.text, (column) => column.primaryKey().notNull())
        .addColumn('client_id', types.text, (column) =>
          column.notNull().references('clients.id').onDelete('cascade'),
        )
        .addColumn('digest', types.bytes, (column) => column.notNull())
        .addColumn('created_at', types.integer, (column) => column.notNull())
        .modifyEnd(types.tableEnd)
        .execute();
      await schema.createIndex('client_secrets_client').on('client_secrets').column('client_id').execute();
      await schema
        .createTable('consumers')
        .addColumn('id', types.text, (column) => column.primaryKey().notNull())
        .addColumn('kind', types.text, (column) => column.notNull().check(sql`kind in ('user', 'client')`))
        .addColumn('state', types.text, (column) =>
          column.notNull().check(sql`state in ('active', 'suspended')`),
        )
        .addColumn('registered_at', types.integer, (column) => column.notNull())
        .modifyEnd(types.tableEnd)
        .execute();
      await schema
        .createTable('shelf')
        .addColumn('name', types.text, (column) => column.primaryKey().notNull())
        .addColumn('content', types.text, (column) => column.notNull())
        .addColumn('mac', types.bytes, (column) => column.notNull())
        .modifyEnd(types.tableEnd)
        .execute();
      await schema
        .createTable('signing_keys')
        .addColumn('kid', types.text, (column) => column.primaryKey().notNull())
        .addColumn('algorithm', types.text, (column) => column.notNull())
        .addColumn('public_jwk', types.text, (column) => column.notNull())
        .addColumn('sealed_private_key', types.bytes, (column) => column.notNull())
        .addColumn('created_at', types.integer, (column) => column.notNull())
        .modifyEnd(types.tableEnd)
        .execute();
    },
  },
  {
    version: 2,
    async up({ schema }) {
      await schema
        .createIndex('consumers_suspended')
        .on('consumers')
        .column('id')
        .where(sql`state`, '=', sql.lit('suspended'))
        .execute();
    },
  },
  {
    version: 3,
    async up(database, types) {
      const { schema } = database;
      await schema
        .alterTable('clients')
        .addColumn('scopes', types.text, (column) => column.notNull().defaultTo(''))
        .execute();
      await schema.alterTable('clients').addColumn('public_keys', types.text).execute();
      await schema
        .alterTable('client_secrets')
        .addColumn('label', types.text, (column) => column.notNull().defaultTo(''))
        .execute();
      await schema.alterTable('client_secrets').addColumn('expires_at', types.integer).execute();
      await schema.alterTable('client_secrets').addColumn('last_used_on', types.integer).execute();
      await schema
        .alterTable('signing_keys')
        .addColumn('signs_from', types.integer, (column) => column.notNull().defaultTo(0))
        .execute();
      await schema.alterTable('signing_keys').addColumn('retires_at', types.integer).execute();
      await schema
        .createTable('used_assertions')
        .addColumn('client_id', types.text, (column) => column.notNull())
        .addColumn('digest', types.bytes, (column) => column.notNull())
        .addColumn('expires_at', types.integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('used_assertions_key', ['client_id', 'digest'])
        .modifyEnd(types.tableEnd)
        .execute();
      await schema.createIndex('used_assertions_expiry').on('used_assertions').column('expires_at').execute();
      await schema
        .createTable('audit')
        .addColumn('seq', types.counter, (column) => column.primaryKey())
        .addColumn('at', types.integer, (column) => column.notNull())
        .addColumn('actor', types.text, (column) => column.notNull())
        .addColumn('node', types.text, (column) => column.notNull())
        .addColumn('action', types.text, (column) => column.notNull())
        .addColumn('subject', types.text, (column) => column.notNull())
        .addColumn('details', types.text, (column) => column.notNull())
        .modifyEnd(types.tableEnd)
        .execute();
      await makeAppendOnly(database, types.engine, 'audit');
    },
  },
  { version: 4, up: createRecordTables },
  {
    version: 5,
    async up(database, types, { clientMac, checkMasterSecret }) {
      await database.schema.alterTable('clients').addColumn('mac', types.bytes).execute();
      // Before anything is made with it: with another secret's checksums no client would be genuine ever again.
      await checkMasterSecret(documents(database));
      await sealClients(database, clientMac);
    },
  },
  {
    version: 6,
    async up(database, types) {
      if (types.engine === 'sqlite') await refuseReplacement(database);
      await createSpentBudgets(database, types);
    },
  },
];

/** The database itself refuses to change or delete a row. */
async function makeAppendOnly(database: Database, engine: Engine['name'], name: 'audit'): Promise<void> {
  const table = sql.table(name);
  if (engine === 'postgres') {
    await sql`create function refuse_change() returns trigger language plpgsql
      as $$ begin raise exception '% is append-only', tg_table_name; end $$`.execute(database);
    await sql`create trigger append_only before update or delete or truncate on ${table}
      for each statement execute function refuse_change()`.execute(database);
    return;
  }
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.id(`${name}_refuses_${change}`)} before ${sql.raw(change)} on ${table}
      begin select raise(abort, 'the table is append-only'); end`.execute(database);
  }
}

/**
 * SQLite deletes what an `insert or replace` takes the place of without its delete triggers. On PostgreSQL whatever
 * writes over a row is an update, and refused as one. A line that gets its number from SQLite has none above 0 yet.
 */
async function refuseReplacement(database: Database): Promise<void> {
  await sql`create trigger audit_refuses_replacement before insert on audit
    when new.seq > 0 and exists (select 1 from audit where seq = new.seq)
    begin select raise(abort, 'the table is append-only'); end`.execute(database);
}

export const newestVersion = migrations.at(-1)?.version ?? 0;

/**
 * Brings the schema to the newest version: all missing steps in one transaction and under one lock, so that a
 * process that dies half-way leaves the old schema, and of two that start at once one migrates and one waits.
 */
export async function migrate(engine: Engine, now: number, keys: StorageKeys): Promise<void> {
  const types = columnTypes(engine.name);
  await engine.database.transaction().execute(async (transaction) => {
    await engine.lock(transaction, 'migrate');
    await transaction.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('version', types.integer, (column) => column.primaryKey().notNull())
      .addColumn('applied_at', types.integer, (column) => column.notNull())
      .modifyEnd(types.tableEnd)
      .execute();
    const current = await schemaVersion(transaction);
    refuseNewer(current);
    for (const migration of migrations) {
      if (migration.version <= current) continue;
      await migration.up(transaction, types, keys);
      await transaction
        .insertInto('schema_migrations')
        .values({ version: migration.version, applied_at: now })
        .execute();
    }
  });
}

export async function schemaVersion(database: Database): Promise<number> {
  const row = await database
    .selectFrom('schema_migrations')
    .select((select) => select.fn.max('version').as('version'))
    .executeTakeFirst();
  return Number(row?.version ?? 0);
}

function refuseNewer(version: number): void {
  if (version <= newestVersion) return;
  throw new OperatorError(
    `The database has schema version ${version}, and this release knows versions up to ${newestVersion}. Start a release at least as new as the one that migrated it.`,
  );
}
