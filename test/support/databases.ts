import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Engine } from '../../src/storage/engine.ts';
import type { Storage, StorageKeys } from '../../src/storage/port.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { openSqlite } from '../../src/storage/sqlite/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { createClientMac } from '../../src/tokens/client-mac.ts';
import { createDatabase } from './postgres.ts';
import type { DatabaseEngine } from './service.ts';
import { surroundings } from './surroundings.ts';

type Row = Record<string, unknown>;

/** A new, empty database, opened through the port by the service's code and beside it by a plain driver. */
export interface TestDatabase {
  openEngine(): Promise<Engine>;
  open(): Promise<Storage>;
  /** Straight at the database, past the port: what an older or newer release may have left there. */
  query(sql: string): Promise<Row[]>;
  tables(): Promise<string[]>;
}

/** Those of a master secret that fits every database. */
export const anyKeys: StorageKeys = {
  clientMac: createClientMac(new Uint8Array(32)),
  checkMasterSecret: async () => {},
};

export const openedAt = Date.UTC(2026, 0, 2);

export async function createTestDatabase(engine: DatabaseEngine): Promise<TestDatabase> {
  return engine === 'sqlite' ? sqliteDatabase(newSqliteFile()) : postgresDatabase(await createDatabase());
}

/** A path in a folder of its own, with nothing at it yet. */
export function newSqliteFile(): string {
  const directory = `${surroundings().runDirectory}/databases/${randomUUID()}`;
  mkdirSync(directory, { recursive: true });
  return `${directory}/vestibule.db`;
}

export function sqliteDatabase(file: string): TestDatabase {
  const openEngine = () => openSqlite(file);
  const query = async (sql: string) => {
    const database = new DatabaseSync(file, { timeout: 5_000 });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };
  const tables = () => query("select name from sqlite_schema where type = 'table' order by name");
  return testDatabase({ openEngine, query, tables });
}

export function postgresDatabase(url: string): TestDatabase {
  const openEngine = async () => openPostgres(url, { poolSize: 10 });
  const query = async (sql: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.end();
    }
  };
  const tables = () =>
    query("select tablename as name from pg_tables where schemaname = 'public' order by 1");
  return testDatabase({ openEngine, query, tables });
}

interface Access {
  readonly openEngine: () => Promise<Engine>;
  readonly query: (sql: string) => Promise<Row[]>;
  readonly tables: () => Promise<Row[]>;
}

function testDatabase({ openEngine, query, tables }: Access): TestDatabase {
  return {
    openEngine,
    query,
    open: async () => createStorage(await openEngine(), openedAt, anyKeys),
    tables: async () => (await tables()).map(({ name }) => String(name)),
  };
}
