import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { BatchRules } from '../port.ts';
import type { Tables } from '../schema.ts';
import { postgresBatches } from './batch.ts';
import { missingRights } from './missing-rights.ts';
import { channel, watchNotifications } from './notifications.ts';
import { hurriedPool, patientPool } from './pool.ts';
import { Sessions } from './sessions.ts';
import { readOn, transactionOn } from './transaction.ts';
import { unavailable } from './unavailable.ts';

interface PostgresOptions {
  readonly poolSize: number;
  /** Statements are kept by name: see `Sessions.named`. */
  readonly keepsStatements?: boolean;
}

export function openPostgres(url: string, { poolSize, keepsStatements = true }: PostgresOptions): Engine {
  const pool = hurriedPool(url, poolSize);
  const sessions = new Sessions(pool, keepsStatements);
  const database = builderOn(sessions);
  return {
    name: 'postgres',
    database,
    reader: database,
    async lock(transaction, name) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`vestibule:${name}`}, 0))`.execute(
        transaction,
      );
    },
    read: (sql, parameters) => readOn(sessions, sql, parameters),
    async openBatches({ module, data }) {
      const { createBatchRules } = (await import(module)) as {
        createBatchRules(data: unknown): BatchRules | Promise<BatchRules>;
      };
      const rules = await createBatchRules(data);
      return postgresBatches((work) => transactionOn(sessions, work), rules);
    },
    /** On a connection of its own: those of the pool give up after seconds, on this side too. */
    async unhurried(work) {
      const patient = builderOn(new Sessions(patientPool(url)));
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
    residue: {
      note: async () => {},
      flush: async () => {},
      isDue: async () => false,
      scrub: async () => {},
    },
    missingRights: (purpose) => missingRights(database, purpose),
    unavailable,
    async close() {
      await database.destroy();
      // Kysely does not know of it when nobody has asked through it.
      if (!pool.ending) await pool.end();
    },
  };
}

function builderOn(sessions: Sessions): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sessions.forKysely() }) });
}
