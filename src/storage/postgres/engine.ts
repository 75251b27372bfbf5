import { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { DatabaseError, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { Refusal } from '../../base/errors.ts';
import type { Engine, OwnEngine } from '../engine.ts';
import type { Tables } from '../schema.ts';
import {
  type Connection,
  inTransaction,
  type StatementResult,
  type TransactionConnection,
} from '../transaction.ts';
import { channel, watchNotifications } from './notifications.ts';

const connectTimeoutMs = 3_000;
const statementTimeoutMs = 5_000;
const int8 = 20;

/** Half of the connections are for whoever shares the database: what it does never keeps others waiting for one. */
export function openPostgres(url: string, poolSize: number): OwnEngine {
  const shared = Math.max(Math.floor(poolSize / 2), 1);
  return {
    ...postgresEngine(url, Math.max(poolSize - shared, 1)),
    share: () => ({ engine: 'postgres', url, poolSize: shared }),
  };
}

export function postgresEngine(url: string, poolSize: number): Engine {
  const pool = connect(url, {
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    idleTimeoutMillis: statementTimeoutMs,
    stream: impatientSocket,
  });
  const database = builderOn(pool);
  return {
    name: 'postgres',
    database,
    reader: database,
    async lock(transaction, name) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`vestibule:${name}`}, 0))`.execute(
        transaction,
      );
    },
    transaction: (work) => transactionOn(pool, work),
    /** On a connection of its own: those of the pool give up after seconds, on this side too. */
    async unhurried(work) {
      const patient = builderOn(connect(url, { max: 1 }));
      try {
        return await patient.transaction().execute(work);
      } finally {
        await patient.destroy();
      }
    },
    async announce(transaction) {
      await sql`select pg_notify(${channel}, '')`.execute(transaction);
    },
    watch: (onChange) => watchNotifications(url, onChange),
    traces: { note: async () => {}, flush: async () => {}, sweep: async () => {} },
    unavailable,
    async close() {
      await database.destroy();
      // Kysely does not know of it when nobody has asked through it.
      if (!pool.ending) await pool.end();
    },
  };
}

function builderOn(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Straight on a connection of the pool, without Kysely. */
async function transactionOn<T>(pool: Pool, work: (transaction: Connection) => Promise<T>): Promise<T> {
  const client = await clientOf(pool);
  let isBroken = false;
  const run = (sql: string, parameters: readonly unknown[]) => ask(client, sql, parameters);
  const connection: TransactionConnection = {
    begin: 'begin',
    run,
    explain: (error) => unavailable(error) ?? error,
    async undo() {
      await run('rollback', []).catch(() => {
        isBroken = true;
      });
    },
  };
  try {
    return await inTransaction(connection, work);
  } finally {
    client.release(isBroken);
  }
}

// By callbacks: what the driver's own promises leave behind survives just as long.

function clientOf(pool: Pool): Promise<PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  pool.connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
  return promise;
}

function ask(client: PoolClient, sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
  client.query(sql, [...parameters], (error, result) => {
    // Null where there is none, whatever its type says.
    if (error as Error | null) reject(error);
    else resolve(result);
  });
  return promise;
}

/**
 * A server that is silent for longer than a statement may take is gone. The driver would set a timer for each statement,
 * and what those leave behind survives until the whole heap is looked through; a socket moves the one that it has along.
 * Connections that nobody uses are closed before.
 */
function impatientSocket(): Socket {
  const socket = new Socket();
  const silentMs = statementTimeoutMs + 1_000;
  socket.setTimeout(silentMs, () => socket.destroy(new Error(`not a word for ${silentMs / 1000} s`)));
  return socket;
}

function connect(url: string, limits: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'vestibule',
    // Every bigint of ours is a time or a count and fits a number.
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format as 'text')),
    },
    // A statement need not wait until the one before is answered.
    pipeline: true,
    ...limits,
  });
  // An idle connection that breaks is replaced at the next query, which reports what is wrong.
  pool.on('error', () => {});
  // One that breaks in use tells whoever waits for an answer.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** SQLSTATE classes: connection, resources, operator intervention, system error; and the server not accepting us. */
const unavailableStates = /^(08|53|55|57|58|28|3D|25006|40)/;

function unavailable(error: unknown): Refusal | null {
  if (!(error instanceof Error) || error instanceof Refusal) return null;
  const code = (error as { code?: unknown }).code;
  if (error instanceof DatabaseError) {
    if (!unavailableStates.test(error.code ?? '')) return null;
    return new Refusal('storage_unavailable', {
      detail: `PostgreSQL answered with SQLSTATE ${error.code}`,
      cause: error,
    });
  }
  // What the driver throws by itself is about the connection: refused, reset, timed out, ended. Those are plain
  // errors or carry a system code; a subclass such as TypeError is a bug.
  if (typeof code !== 'string' && error.name !== 'Error') return null;
  const detail = `no connection to PostgreSQL (${typeof code === 'string' ? code : error.message})`;
  return new Refusal('storage_unavailable', { detail, cause: error });
}
