import { statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { type Driver, Kysely, sql } from 'kysely';
import { type Clock, systemClock } from '../../base/clock.ts';
import { OperatorError, Refusal } from '../../base/errors.ts';
import { accessTo } from '../../base/files.ts';
import { countChange, poll, watchChanges } from '../changes.ts';
import type { Engine, Row } from '../engine.ts';
import type { OnReload, Outcome } from '../port.ts';
import type { Tables } from '../schema.ts';
import { type FileIdentity, SqliteConnection } from './connection.ts';
import { directDriver, driverBasics, KyselyConnection, sqliteDialect } from './dialect.ts';
import { sqliteResidue } from './residue.ts';
import { SqliteThread } from './thread.ts';
import { unavailable } from './unavailable.ts';

const readVersionEveryMs = 25;
/** Reads notice a removed file within this time, the next write notices it at once. */
const checkFileEveryMs = 1_000;

/** With `readOnly` no file and no row is created or changed. */
export function openSqlite(file: string, { readOnly = false, clock = systemClock } = {}): Promise<Engine> {
  return readOnly ? openReadOnly(file, clock) : openWriter(file, clock);
}

/** Writes go through the thread that owns the writing connection; reads are so quick that they run on the event loop. */
async function openWriter(file: string, clock: Clock): Promise<Engine> {
  const thread = await SqliteThread.open(file).catch((error: unknown) => {
    throw new OperatorError(
      `The SQLite file "${file}" (DATABASE_URL) cannot be used: ${reasonWhy(file, error)}`,
    );
  });
  const { dev, ino } = statSync(file);
  const writer = new SqliteWriter(thread);
  const reads = new SqliteReader(file, { dev, ino }, clock);
  const database = new Kysely<Tables>({ dialect: sqliteDialect(writer.driver) });
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(reads.driver) });
  return {
    ...readingParts(reads, file, clock),
    database,
    reader,
    async openBatches(rules, onReload) {
      await thread.decideBy(rules);
      return { run: (operations) => writer.batch(operations, onReload) };
    },
    longTransaction: (work) => database.transaction().execute(work),
    tables: {
      // SQLite has one writer at a time, and a schema change is a write.
      alter: (_lock, work) => database.transaction().execute(work),
      async buildIndex({ name, table, on }) {
        const index = sql`create index if not exists ${sql.id(name)} on ${sql.table(table)} ${sql.raw(on)}`;
        await index.execute(database);
      },
    },
    announce: countChange,
    residue: sqliteResidue(database),
    /** The writing connection closes last, so that it checkpoints and removes the log. */
    async close() {
      await reader.destroy();
      reads.close();
      await database.destroy();
      await thread.close();
    },
  };
}

async function openReadOnly(file: string, clock: Clock): Promise<Engine> {
  const reads = new SqliteReader(file, statSync(file), clock, SqliteConnection.withoutTraces);
  const database = new Kysely<Tables>({ dialect: sqliteDialect(reads.driver) });
  const refuse = () => Promise.reject(new Error('the database is open for reading only'));
  return {
    ...readingParts(reads, file, clock),
    database,
    reader: database,
    openBatches: refuse,
    longTransaction: refuse,
    tables: { alter: refuse, buildIndex: refuse },
    announce: refuse,
    residue: sqliteResidue(database),
    async close() {
      await database.destroy();
      reads.close();
    },
  };
}

function readingParts(reads: SqliteReader, file: string, clock: Clock) {
  const read: Engine['read'] = (text, parameters) => reads.read(text, parameters);
  return {
    name: 'sqlite',
    read,
    lock: async () => {},
    watch: (onChange) => watchChanges(read, clock, onChange),
    watchAppended(onAppended) {
      // Changes when another connection has committed; reading it takes microseconds.
      const dataVersion = async () => (await read('pragma data_version', []))[0]?.[0];
      return poll({ read: dataVersion, everyMs: readVersionEveryMs, clock }, (before, now) => {
        if (before !== now) onAppended();
      });
    },
    missingRights: async () => null,
    async space() {
      const { size } = await stat(file);
      const log = await stat(`${file}-wal`).catch(() => ({ size: 0 }));
      const { blocks, bavail, bsize } = await statfs(dirname(file));
      return { bytes: size + log.size, disk: { bytes: blocks * bsize, free: bavail * bsize } };
    },
    unavailable,
  } satisfies Partial<Engine>;
}

function reasonWhy(file: string, error: unknown): string {
  const access = accessTo(file);
  if (access.state === 'forbidden') return `${access.detail}. ${access.advice}`;
  const { detail } = unavailable(error)?.options ?? {};
  return detail === undefined
    ? `${(error as Error).message}. Name a file whose folder this user may write to.`
    : `${detail}.`;
}

/** Reads on the event loop: a record takes 10 microseconds, less than a message to a thread. Opened at the first read. */
class SqliteReader {
  readonly driver: Driver;
  readonly #file: string;
  readonly #identity: FileIdentity;
  readonly #clock: Clock;
  readonly #connect: typeof SqliteConnection.forReading;
  #connection: SqliteConnection | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(file: string, identity: FileIdentity, clock: Clock, connect = SqliteConnection.forReading) {
    this.#file = file;
    this.#identity = identity;
    this.#clock = clock;
    this.#connect = connect;
    this.driver = directDriver((sql, parameters) => this.#open().run(sql, parameters));
  }

  read(sql: string, parameters: readonly unknown[]): readonly Row[] {
    return this.#open().rows(sql, parameters as readonly SQLInputValue[]);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #open(): SqliteConnection {
    this.#connection ??= this.#connect(this.#file, this.#identity);
    const now = this.#clock.monotonic();
    if (now - this.#checkedAt >= checkFileEveryMs) {
      this.#connection.checkFile();
      this.#checkedAt = now;
    }
    return this.#connection;
  }
}

/** How long a task may wait for the connection, and how many may wait. */
const longestWaitMs = 5_000;
const maxWaiting = 5_000;

/** Grants the writing connection to one task at a time: a batch, or a Kysely transaction. */
export class SqliteWriter {
  readonly driver: Driver;
  readonly #thread: SqliteThread;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
    const connection = new KyselyConnection((sql, parameters) => thread.run(sql, parameters));
    this.driver = {
      ...driverBasics,
      acquireConnection: async () => {
        await this.#take();
        return connection;
      },
      releaseConnection: async () => this.#give(),
    };
  }

  async batch(operations: readonly unknown[], onReload: OnReload): Promise<readonly Outcome[]> {
    await this.#take();
    try {
      return await this.#thread.runBatch(operations, onReload);
    } finally {
      this.#give();
    }
  }

  #take(): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve();
    }
    if (this.#waiting.length >= maxWaiting) return Promise.reject(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(go), 1);
      reject(tooMany());
    }, longestWaitMs);
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    this.#waiting.push(go);
    return promise;
  }

  /** The connection goes to the next task in the queue, or becomes free. */
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

function tooMany(): Refusal {
  return new Refusal('overloaded', {
    detail: 'the queue for SQLite is full in this process',
    retryAfterSeconds: 1,
  });
}
