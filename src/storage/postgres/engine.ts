import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { type Clock, systemClock } from '../../base/clock.ts';
import { countChange, poll, watchChanges } from '../changes.ts';
import type { Engine } from '../engine.ts';
import type { BatchRules } from '../port.ts';
import type { Tables } from '../schema.ts';
import { missingRights } from './missing-rights.ts';
import { beginWithoutTimeout, beginWithTimeout, poolWithoutTimeout, poolWithTimeout } from './pool.ts';
import { postgresBatches } from './rows.ts';
import { Sessions } from './sessions.ts';
import { tableChanges } from './table-changes.ts';
import { lockName, readOn, takeLock, transactionOn } from './transaction.ts';
import { unavailable } from './unavailable.ts';

interface PostgresOptions {
  readonly poolSize: number;
  readonly keepsStatements?: boolean;
  readonly clock?: Clock;
  readonly onNotice?: (notice: string) => void;
}

const readPositionEveryMs = 100;

const statementsLost =
  'PostgreSQL has lost a prepared statement, probably behind a pooler that does not track them: from now on statements are parsed each time. A pooler that tracks them (PgBouncer 1.21 with max_prepared_statements) is faster';

export function openPostgres(url: string, options: PostgresOptions): Engine {
  const { poolSize, keepsStatements = true, clock = systemClock, onNotice = () => {} } = options;
  const pool = poolWithTimeout(url, poolSize);
  const sessions = new Sessions(pool, {
    begin: beginWithTimeout,
    keepsStatements,
    onStatementsLost: () => onNotice(statementsLost),
  });
  const database = builderOn(sessions);
  const read: Engine['read'] = (sql, parameters) => readOn(sessions, sql, parameters);
  return {
    name: 'postgres',
    database,
    reader: database,
    async lock(transaction, name) {
      await transaction.executeQuery(CompiledQuery.raw(takeLock, [lockName(name)]));
    },
    read,
    async openBatches({ module, data }, onReload) {
      const { createBatchRules } = (await import(module)) as {
        createBatchRules(data: unknown): BatchRules | Promise<BatchRules>;
      };
      const rules = await createBatchRules(data);
      return postgresBatches((work) => transactionOn(sessions, work), rules, onReload);
    },
    longTransaction: (work) => onOwnConnection(url, (patient) => patient.transaction().execute(work)),
    tables: tableChanges((work) => onOwnConnection(url, work), read),
    announce: countChange,
    watch: (onChange) => watchChanges(read, clock, onChange),
    watchAppended(onAppended) {
      const lastPosition = async () => (await read('select max(position) from events', []))[0]?.[0];
      return poll({ read: lastPosition, everyMs: readPositionEveryMs, clock }, (before, now) => {
        if (before !== now) onAppended();
      });
    },
    residue: {
      note: async () => {},
      flush: async () => {},
      left: async () => 'nothing',
      scrub: async () => {},
    },
    sessionStatus: () => sessions.status(),
    async space() {
      const [row] = await read('select pg_database_size(current_database())', []);
      return { bytes: Number(row?.[0]), disk: null };
    },
    missingRights: (purpose) => missingRights(database, purpose),
    unavailable,
    async close() {
      await database.destroy();
      // Kysely ends a pool only if it has used it.
      if (!pool.ending) await pool.end();
    },
  };
}

async function onOwnConnection<T>(url: string, work: (database: Kysely<Tables>) => Promise<T>): Promise<T> {
  const patient = builderOn(new Sessions(poolWithoutTimeout(url), { begin: beginWithoutTimeout }));
  try {
    return await work(patient);
  } finally {
    await patient.destroy();
  }
}

function builderOn(sessions: Sessions): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sessions.forKysely() }) });
}
