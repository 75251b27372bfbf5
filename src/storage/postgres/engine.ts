import { Kysely, PostgresDialect, sql } from 'kysely';
import { DatabaseError, Pool, type PoolConfig, types } from 'pg';
import { Refusal } from '../../base/errors.ts';
import type { Engine, OwnEngine } from '../engine.ts';
import type { Tables } from '../schema.ts';
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
  const database = connect(url, {
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
  });
  return {
    name: 'postgres',
    database,
    reader: database,
    async lock(transaction, name) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`vestibule:${name}`}, 0))`.execute(
        transaction,
      );
    },
    /** On a connection of its own: those of the pool give up after seconds, on this side too. */
    async unhurried(work) {
      const patient = connect(url, { max: 1 });
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
    close: () => database.destroy(),
  };
}

function connect(url: string, limits: PoolConfig): Kysely<Tables> {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'vestibule',
    // Every bigint of ours is a time or a count and fits a number.
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format as 'text')),
    },
    ...limits,
  });
  // An idle connection that breaks is replaced at the next query, which reports what is wrong.
  pool.on('error', () => {});
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
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
