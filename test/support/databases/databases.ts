import { hash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'node:test';
import { Client } from 'pg';
import type { Clock } from '../../../src/base/clock.ts';
import type { Engine } from '../../../src/storage/engine.ts';
import type { Storage, StorageKeys } from '../../../src/storage/port.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { openSqlite } from '../../../src/storage/sqlite/engine.ts';
import { createStorage, type StorageOptions } from '../../../src/storage/storage.ts';
import { createClientMac } from '../../../src/tokens/client-directory.ts';
import { surroundings } from '../run/surroundings.ts';
import { type DatabaseEngine, databaseEngines } from '../services/service.ts';
import { createDatabase, direct, pooled } from './postgres.ts';

type Row = Record<string, unknown>;

/** A new, empty database, opened through the port by the service's code and beside it by a plain driver. */
export interface TestDatabase {
  readonly engine: DatabaseEngine;
  openEngine(): Promise<Engine>;
  open(options?: StorageOptions): Promise<Storage>;
  /** Straight at the database, past the port: what an older or newer release may have left there. */
  query(sql: string): Promise<Row[]>;
  tables(): Promise<string[]>;
}

/** Those of a master secret that fits every database. */
export const anyKeys: StorageKeys = {
  clientMac: createClientMac(new Uint8Array(32)),
  erasures: {
    digestOf: (owner) => hash('sha256', owner, 'buffer'),
    topicOf: (owner) => hash('md5', owner),
    append: async () => {},
  },
};

export const openedAt = Date.UTC(2026, 0, 2);

/** The PgBouncer gives each transaction another session. */
export type StorageKind = DatabaseEngine | 'postgres behind PgBouncer';
/** What the suites of the storage run on. test/contract/pooled.drill.ts runs them behind PgBouncer. */
export const storageKinds: readonly StorageKind[] =
  process.env.VESTIBULE_TEST_CONTRACT === 'pooled' ? ['postgres behind PgBouncer'] : databaseEngines;

export async function createTestDatabase(kind: StorageKind): Promise<TestDatabase> {
  return databaseAt(kind, await newPlace(kind));
}

/** Where a plain driver finds a new database that is empty. */
export async function newPlace(kind: StorageKind): Promise<string> {
  return kind === 'sqlite' ? newSqliteFile() : direct(await createDatabase());
}

export async function databaseAt(kind: StorageKind, place: string): Promise<TestDatabase> {
  if (kind === 'sqlite') return sqliteDatabase(place);
  return postgresDatabase(kind === 'postgres' ? place : await pooled(place));
}

interface OpenedTwice {
  /** Where a plain driver finds the database. */
  readonly place: string;
  readonly database: TestDatabase;
  readonly storage: Storage;
  /** A second process, as far as the database can tell. */
  readonly neighbour: Storage;
}

/** One new database for all tests of a suite, as two processes have it. */
export function openTwice(kind: StorageKind, onOpened: (opened: OpenedTwice) => void): void {
  const opened: Storage[] = [];
  before(async () => {
    const place = await newPlace(kind);
    const database = await databaseAt(kind, place);
    const [storage, neighbour] = [await database.open(), await database.open()];
    opened.push(neighbour, storage);
    onOpened({ place, database, storage, neighbour });
  });
  after(async () => {
    for (const storage of opened) await storage.close();
  });
}

/** A path in a folder of its own, with nothing at it yet. */
export function newSqliteFile(): string {
  const directory = `${surroundings().runDirectory}/databases/${randomUUID()}`;
  mkdirSync(directory, { recursive: true });
  return `${directory}/vestibule.db`;
}

export function sqliteDatabase(file: string, clock?: Clock): TestDatabase {
  const openEngine = () => openSqlite(file, { clock });
  const query = async (sql: string) => {
    const database = new DatabaseSync(file, { timeout: 5_000 });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };
  const tables = "select name from sqlite_schema where type = 'table' order by name";
  return testDatabase('sqlite', openEngine, query, tables);
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
  const tables = "select tablename as name from pg_tables where schemaname = 'public' order by 1";
  return testDatabase('postgres', openEngine, query, tables);
}

function testDatabase(
  engine: DatabaseEngine,
  openEngine: () => Promise<Engine>,
  query: (sql: string) => Promise<Row[]>,
  tables: string,
): TestDatabase {
  return {
    engine,
    openEngine,
    query,
    open: async (options) => createStorage(await openEngine(), openedAt, anyKeys, options),
    tables: async () => (await query(tables)).map(({ name }) => String(name)),
  };
}
