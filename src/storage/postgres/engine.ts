import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { createProcessName } from '../../base/random.ts';
import { countChange, everything, watchChanges } from '../changes.ts';
import type { Engine } from '../engine.ts';
import type { BatchRules } from '../port.ts';
import type { Tables } from '../schema.ts';
import { PostgresAppendSignal } from './append-signal.ts';
import { postgresBatches } from './batch.ts';
import { missingRights } from './missing-rights.ts';
import { channels, Notifications } from './notifications.ts';
import { hurriedBegin, hurriedPool, patientBegin, patientPool } from './pool.ts';
import { Sessions } from './sessions.ts';
import { tableChanges } from './table-changes.ts';
import { lockName, readOn, takeLock, transactionOn } from './transaction.ts';
import { unavailable } from './unavailable.ts';

interface PostgresOptions {
  readonly poolSize: number;
  /** Statements are kept by name: see `Sessions.named`. */
  readonly keepsStatements?: boolean;
  /** Where notifications arrive, if that is not where statements go. */
  readonly listenUrl?: string | null;
  /** Hears, once each, what works otherwise than the settings say. */
  readonly onNotice?: (notice: string) => void;
}

/** A notification is a commit, and nobody needs this one to be on the disk: what gets lost with the server is found by looking. */
const notifyWithoutSync = `select set_config('synchronous_commit', 'off', true), pg_notify($1, '')`;

const listenAdvice = 'To hear of them at once set DATABASE_LISTEN_URL to an address of the database itself';

const statementsLost =
  'PostgreSQL does not know statements by name, as behind a pooler that does not keep track of them: they are parsed each time from now on. A pooler that does (PgBouncer 1.21 with max_prepared_statements) is faster';

export function openPostgres(url: string, options: PostgresOptions): Engine {
  const { poolSize, keepsStatements = true, listenUrl = null, onNotice = () => {} } = options;
  const pool = hurriedPool(url, poolSize);
  const sessions = new Sessions(pool, {
    begin: hurriedBegin,
    keepsStatements,
    onStatementsLost: () => onNotice(statementsLost),
  });
  const database = builderOn(sessions);
  const notify = (channel: string) => readOn(sessions, notifyWithoutSync, [channel]);
  const notifications = new Notifications({
    url: listenUrl ?? url,
    echo: `vestibule_echo_${createProcessName()}`,
    notify,
    onUnheard: (reason) =>
      onNotice(
        `${reason}: changes of other processes are found by looking, within a second. ${listenAdvice}`,
      ),
  });
  const appended = new PostgresAppendSignal(notifications, notify);
  const read: Engine['read'] = (sql, parameters) => readOn(sessions, sql, parameters);
  return {
    name: 'postgres',
    database,
    reader: database,
    async lock(transaction, name) {
      await transaction.executeQuery(CompiledQuery.raw(takeLock, [lockName(name)]));
    },
    read,
    async openBatches({ module, data }) {
      const { createBatchRules } = (await import(module)) as {
        createBatchRules(data: unknown): BatchRules | Promise<BatchRules>;
      };
      const rules = await createBatchRules(data);
      return postgresBatches(
        (work) => transactionOn(sessions, work),
        rules,
        () => appended.note(),
      );
    },
    unhurried: (work) => onPatientConnection(url, (patient) => patient.transaction().execute(work)),
    tables: tableChanges((work) => onPatientConnection(url, work)),
    async announce(transaction, changed) {
      await countChange(transaction, changed);
      await sql`select pg_notify(${channels.standing}, '')`.execute(transaction);
    },
    async watch(onChange) {
      const changes = await watchChanges(read, onChange);
      const unlisten = notifications.watch(channels.standing, (mayHaveMissed) => {
        if (mayHaveMissed) onChange(everything);
        else changes.hurry();
      });
      return async () => {
        changes.end();
        await unlisten();
      };
    },
    heardBy: () => notifications.heardBy,
    appended,
    residue: {
      note: async () => {},
      flush: async () => {},
      isDue: async () => false,
      scrub: async () => {},
    },
    sessionStatus: () => sessions.status(),
    missingRights: (purpose) => missingRights(database, purpose),
    unavailable,
    async close() {
      appended.stop();
      await notifications.stop();
      await database.destroy();
      // Kysely does not know of it when nobody has asked through it.
      if (!pool.ending) await pool.end();
    },
  };
}

/** One of its own: those of the pool give up after seconds, on this side too. */
async function onPatientConnection<T>(
  url: string,
  work: (database: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const patient = builderOn(new Sessions(patientPool(url), { begin: patientBegin }));
  try {
    return await work(patient);
  } finally {
    await patient.destroy();
  }
}

function builderOn(sessions: Sessions): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sessions.forKysely() }) });
}
