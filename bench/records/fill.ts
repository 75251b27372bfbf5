import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import { executeIn, withClient, withFile } from '../shared/database.ts';
import { collection, createdAt, firstDay, idOf, listing } from './data.ts';

/** The database behind a Vestibule: what is put into it past all of its doors, and taken out again. */
export interface RecordsDatabase {
  /** Inserts this many records, spread over all registered callers, none of whom is a newcomer. */
  fill(size: number): Promise<void>;
  /** Removes what was written since it was filled; answers with how much that was. */
  restore(): Promise<number>;
  /** Runs statements that both databases understand. */
  execute(statements: Iterable<string>): Promise<void>;
}

export const columns = 'collection, id, owner, state, revision, created_at, updated_at, body';
const atOnce = 20_000;

/** Indexes are dropped and made again: one by one, row after row, they would take most of the time. */
interface Index {
  readonly name: string;
  readonly definition: string;
}
const sqliteIndexes = `select name, sql as definition from sqlite_schema
  where type = 'index' and tbl_name = 'records' and sql is not null`;
const postgresIndexes = `select indexname as name, indexdef as definition from pg_indexes
  where tablename = 'records' and indexname <> 'records_key'`;

/** Whatever was made after those that are filled in. */
const removeNew = `delete from records where collection = '${collection}' and created_at > ${firstDay + 40 * 86_400_000}`;
const ageConsumers = `update consumers set registered_at = ${firstDay}`;
const forgetUsage = 'delete from usage';
const countUsage = `insert into usage
  (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since)
  select owner, collection, count(*), 0, 0, 0, 0 from records group by owner, collection`;

export function sqliteDatabase(file: string): RecordsDatabase {
  const work = <T>(task: (database: DatabaseSync) => T) => withFile(file, task);
  return {
    fill: (size) =>
      work((database) => {
        database.exec(ageConsumers);
        const indexes = database.prepare(sqliteIndexes).all() as unknown as readonly Index[];
        for (const { name } of indexes) database.exec(`drop index ${name}`);
        const owners = database.prepare('select id from consumers order by id').all();
        const insert = database.prepare(`insert into records (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?)`);
        for (let first = 0; first < size; first += atOnce) {
          database.exec('begin');
          for (let number = first; number < Math.min(first + atOnce, size); number++) {
            insert.run(...Object.values(row(number, String(owners[number % owners.length]?.id))));
          }
          database.exec('commit');
        }
        for (const { definition } of indexes) database.exec(definition);
        database.exec(`${forgetUsage}; ${countUsage}`);
      }),
    restore: () =>
      work((database) => {
        const { changes } = database.prepare(removeNew).run();
        database.exec(`${forgetUsage}; ${countUsage}`);
        return Number(changes);
      }),
    execute: (statements) => executeIn(`sqlite:${file}`, statements),
  };
}

export function postgresDatabase(url: string): RecordsDatabase {
  const settle = 'vacuum analyze';
  return {
    fill: (size) =>
      withClient(url, async (client) => {
        await client.query(ageConsumers);
        const { rows: indexes } = await client.query<Index>(postgresIndexes);
        for (const { name } of indexes) await client.query(`drop index ${name}`);
        const { rows: owners } = await client.query<{ id: string }>('select id from consumers order by id');
        for (let first = 0; first < size; first += atOnce) {
          const count = Math.min(atOnce, size - first);
          const rows = Array.from({ length: count }, (_, index) => {
            const number = first + index;
            return row(number, owners[number % owners.length]?.id ?? '');
          });
          const arrays = ['text', 'text', 'text', 'text', 'text', 'bigint', 'bigint', 'text'];
          await insertAll(client, `records (${columns})`, arrays, rows.map(Object.values));
        }
        for (const { definition } of indexes) await client.query(definition);
        for (const statement of [forgetUsage, countUsage, settle, 'checkpoint'])
          await client.query(statement);
      }),
    restore: () =>
      withClient(url, async (client) => {
        const { rowCount } = await client.query(removeNew);
        for (const statement of [forgetUsage, countUsage, settle, 'checkpoint'])
          await client.query(statement);
        return rowCount ?? 0;
      }),
    execute: (statements) => executeIn(url, statements),
  };
}

/** In the order of the columns. */
function row(number: number, owner: string) {
  const body = JSON.stringify(listing(number));
  const at = createdAt(number);
  return {
    collection,
    id: idOf(number),
    owner,
    state: null,
    revision: idOf(number).slice(-16),
    createdAt: at,
    updatedAt: at,
    body,
  };
}

/** One statement for all rows: an array for each column. */
export async function insertAll(
  client: Client,
  target: string,
  types: readonly string[],
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const values = types.map((_type, index) => rows.map((one) => one[index]));
  await client.query(`insert into ${target} select * from unnest(${arrays})`, values);
}
