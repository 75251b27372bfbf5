import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { OperatorError } from '../base/errors.ts';
import type { Begin } from '../base/progress.ts';
import { withoutSecrets } from '../base/without-password.ts';
import { migrate } from './migrate.ts';
import { newestVersion } from './migrations.ts';
import { openPostgres } from './postgres/engine.ts';
import { computedColumn, type Database, primaryKeys, type Tables } from './schema.ts';
import { readSchema } from './schema-state.ts';
import { busyTimeoutMs } from './sqlite/connection.ts';
import { kyselyOn } from './sqlite/dialect.ts';
import { markAsMoved, markName, movedTo } from './stores/documents.ts';

/** These tables belong to one database and its processes. */
const notCopied: ReadonlySet<string> = new Set(['schema_migrations', 'changes', 'leases']);
const tables = (Object.keys(primaryKeys) as (keyof Tables)[]).filter((name) => !notCopied.has(name));

const rowsAtOnce = 500;

type TableRow = Readonly<Record<string, unknown>>;
type Pages = AsyncGenerator<readonly TableRow[]>;

interface MovedTable {
  readonly table: string;
  readonly rows: number;
}

/**
 * Copies every row of an SQLite file to an empty PostgreSQL database in one transaction, so an interrupted move can be
 * repeated.
 */
export async function moveDatabase(
  file: string,
  url: string,
  now: number,
  begin: Begin,
): Promise<readonly MovedTable[]> {
  const from = openExclusively(file);
  const engine = openPostgres(url, { poolSize: 1, keepsStatements: false });
  const target = withoutSecrets(url);
  try {
    await requireNewest(from);
    await migrate(engine, now);
    return await engine.longTransaction(async (to) => {
      await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in exclusive mode`.execute(
        to,
      );
      await requireEmpty(to, target, await movedTo(from));
      const moved: MovedTable[] = [];
      for (const table of tables) {
        const rows = from.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('total'));
        const { total } = await rows.executeTakeFirstOrThrow();
        const watched = (doing: string) => watchRows(pagesOf(from, table), total, `${doing} ${table}`, begin);
        await copyTable(watched('Copying'), to, table);
        moved.push({ table, rows: await compareTable(watched('Comparing'), to, table) });
      }
      await sql`select setval(pg_get_serial_sequence('audit', 'seq'), max(seq)) from audit having max(seq) is not null`.execute(
        to,
      );
      // The file is marked before the commit, so that never both databases can be served.
      await markAsMoved(from, target);
      return moved;
    });
  } catch (error) {
    const refusal = engine.unavailable(error);
    if (refusal === null) throw error;
    throw new OperatorError(
      `The database ${target} cannot be used: ${refusal.options.detail}. Run the same command again.`,
    );
  } finally {
    await engine.close();
    await from.destroy();
  }
}

/** In WAL mode SQLite grants this lock only if no other connection is open, even an idle one. */
function openExclusively(file: string): Database {
  if (!existsSync(file)) throw new OperatorError(`The SQLite file "${file}" (DATABASE_URL) does not exist.`);
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    database.exec('pragma locking_mode = exclusive');
    database.exec('begin exclusive');
    database.exec('commit');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode !== sqliteBusy) throw error;
    throw new OperatorError(
      `The SQLite file "${file}" (DATABASE_URL) is in use. Stop the program that uses it first: "npx vestibule serve", a command or a backup.`,
    );
  }
  return kyselyOn(database);
}

const sqliteBusy = 5;

async function requireNewest(from: Database): Promise<void> {
  const { version } = await readSchema(from);
  if (version === newestVersion) return;
  throw new OperatorError(
    `The SQLite file has schema version ${version}, and this release moves version ${newestVersion}. Start this release on it once, so that it is migrated.`,
  );
}

/** A marked file can be moved again: a move that was killed at its end may have marked it and committed nothing. */
async function requireEmpty(to: Database, target: string, moved: string | null): Promise<void> {
  for (const table of tables) {
    if ((await pageOf(to, table, null, 1)).length === 0) continue;
    throw new OperatorError(
      moved === target
        ? `This database was moved to ${target} already. Nothing was done.`
        : `The database ${target} is not empty. Move to an empty one.`,
    );
  }
}

async function copyTable(from: Pages, to: Database, table: keyof Tables): Promise<void> {
  for await (const rows of from) {
    const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== computedColumn);
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    // The audit keeps its ids, which PostgreSQL would otherwise assign.
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      overriding system value values ${sql.join(values)}`.execute(to);
  }
}

/** Reads all rows of both tables again and compares them. Returns their number. */
async function compareTable(from: Pages, to: Database, table: keyof Tables): Promise<number> {
  const copies = pagesOf(to, table);
  let count = 0;
  for await (const rows of from) {
    const copy: readonly TableRow[] = (await copies.next()).value ?? [];
    if (rows.map(textOf).join('\n') !== copy.map(textOf).join('\n')) throw notEqual(table);
    count += rows.length;
  }
  if (!(await copies.next()).done) throw notEqual(table);
  return count;
}

function notEqual(table: string): OperatorError {
  return new OperatorError(`The copy differs in: ${table}. Nothing was moved; please report this.`);
}

/** Each database returns the columns in another order. */
function textOf(row: TableRow): string {
  const plain = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  const columns = Object.keys(row).sort();
  return JSON.stringify(columns.map((column) => [column, plain(row[column])]));
}

async function* watchRows(pages: Pages, total: number, what: string, begin: Begin): Pages {
  let done = 0;
  begin(what, () => ({ done, total, unit: 'row' }));
  for await (const rows of pages) {
    yield rows;
    done += rows.length;
  }
}

async function* pagesOf(database: Database, table: keyof Tables): Pages {
  let after: TableRow | null = null;
  for (;;) {
    const rows: readonly TableRow[] = await pageOf(database, table, after, rowsAtOnce);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1) ?? null;
  }
}

/** Rows after a given one, by primary key: both databases use the same byte order. */
async function pageOf(
  database: Database,
  table: keyof Tables,
  after: TableRow | null,
  limit: number,
): Promise<readonly TableRow[]> {
  const key = sql.join(primaryKeys[table].map((column) => sql.ref(column)));
  const isCopied = table === 'documents' ? sql`name <> ${markName}` : sql`1 = 1`;
  const isAfter =
    after === null
      ? sql``
      : sql`and (${key}) > (${sql.join(primaryKeys[table].map((column) => after[column]))})`;
  const { rows } = await sql<TableRow>`select * from ${sql.table(table)} where ${isCopied} ${isAfter}
    order by ${key} limit ${sql.lit(limit)}`.execute(database);
  return rows;
}
