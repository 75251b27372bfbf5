import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';
import type { Engine, NewIndex } from './engine.ts';
import { createErasures } from './erasure-tables.ts';
import { createEventTables } from './event-tables.ts';
import type { StorageKeys } from './port.ts';
import { createProofs } from './proof-tables.ts';
import { createRecordTables, createSpentBudgets } from './record-tables.ts';
import { createRevocations } from './revocation-tables.ts';
import type { Database } from './schema.ts';
import { countChangesByTable, createSharedTables } from './shared-tables.ts';
import { sealClients } from './stores/clients.ts';
import { documents } from './stores/documents.ts';
import { createWebhookTables } from './webhook-tables.ts';

/** One step forward. A step that has been released is never changed; the next change is a new step. */
export interface Migration {
  readonly version: number;
  /** For whoever is about to do it. */
  readonly what: string;
  /**
   * What becomes of processes that do not know the step. `expand`: they go on working, because it only adds what they
   * neither read nor have to write. `stop`: they must not run any more. `contract`: it takes away what a later version
   * has made unnecessary, and nobody does it at start.
   */
  readonly kind: 'expand' | 'stop' | 'contract';
  /** Of a `contract`: the version from which on nobody needs what it takes away. */
  readonly needs?: number;
  /** An index on a table that may be large: it is made before `up`, without holding up anybody who writes. */
  readonly index?: NewIndex;
  up(database: Database, types: ColumnTypes, keys: StorageKeys): Promise<void>;
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    what: 'clients, consumers, documents and signing keys',
    kind: 'stop',
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
    what: 'an index of suspended consumers',
    kind: 'stop',
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
    what: 'scopes, keys and expiring secrets of clients, and the audit',
    kind: 'stop',
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
  { version: 4, what: 'records, usage and idempotency keys', kind: 'stop', up: createRecordTables },
  {
    version: 5,
    what: 'clients are bound to the master secret',
    kind: 'stop',
    async up(database, types, { clientMac, checkMasterSecret }) {
      await database.schema.alterTable('clients').addColumn('mac', types.bytes).execute();
      // Before anything is made with it: with another secret's checksums no client would be genuine ever again.
      await checkMasterSecret(documents(database));
      await sealClients(database, clientMac);
    },
  },
  {
    version: 6,
    what: 'what erased callers had spent of their budgets',
    kind: 'stop',
    async up(database, types) {
      if (types.engine === 'sqlite') await refuseReplacement(database);
      await createSpentBudgets(database, types);
    },
  },
  { version: 7, what: 'the log of events', kind: 'stop', up: createEventTables },
  { version: 8, what: 'webhooks and deliveries', kind: 'stop', up: createWebhookTables },
  { version: 9, what: 'changes that are counted, and leases', kind: 'stop', up: createSharedTables },
  { version: 10, what: 'erasures that a restored backup does again', kind: 'stop', up: createErasures },
  // Older processes take no tokens that need a proof, so there is nothing that they would have to write down.
  { version: 11, what: 'proofs that were used', kind: 'expand', up: createProofs },
  { version: 12, what: 'tokens that were taken back', kind: 'expand', up: createRevocations },
  { version: 14, what: 'what a change is about', kind: 'expand', up: countChangesByTable },
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

export const newestVersion = newestOf(migrations);

/** The newest version that code with these steps knows. */
export function newestOf(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 0;
}
