import type { Generated, GeneratedAlways, Kysely, SelectQueryBuilder } from 'kysely';
import { nameIn, type RowIn, type RowOf } from './batch/table.ts';
import { tables as batchTables } from './batch/tables.ts';
import type { WatchedTable } from './port.ts';
import { otherTables } from './tables.ts';

/** Of records: the database computes the size of the body. */
export const computedColumn = 'bytes';

/** By their names in the database. Each comes after those that it refers to. */
export const tables = { ...otherTables, ...batchTables };

type Described = typeof tables;
type TableName = keyof Described;
type Columns = { [Name in TableName]: RowIn<RowOf<Described[Name]>> };

export interface Tables extends Omit<Columns, 'records' | 'audit' | 'changes'> {
  records: Columns['records'] & { readonly [computedColumn]: GeneratedAlways<number> };
  audit: Omit<Columns['audit'], 'seq'> & { readonly seq: Generated<number> };
  changes: { readonly id: number } & Record<WatchedTable, Generated<number>>;
}

export type Database = Kysely<Tables>;

/** The columns under the names of the database. */
export function columnNames<Name extends TableName>(name: Name): (keyof Columns[Name] & string)[] {
  return Object.keys(tables[name].columns).map(nameIn) as never;
}

/** The columns under the names of the code. */
export function columnsOf(name: TableName): never[] {
  return Object.keys(tables[name].columns).map((column) => `${name}.${nameIn(column)} as ${column}`) as never;
}

/** Reads whole rows under the names of the code. */
export function rowsOf<Name extends TableName>(
  database: Database,
  name: Name,
): SelectQueryBuilder<Tables, Name, RowOf<Described[Name]>> {
  return database.selectFrom(name as 'records').select(columnsOf(name)) as never;
}

/** What an object has of the columns, under the names of the database. */
export function rowFor<Name extends TableName, Row extends Partial<RowOf<Described[Name]>>>(
  name: Name,
  row: Row,
): RowIn<Pick<Row, keyof Row & keyof RowOf<Described[Name]>>> {
  const columns = Object.keys(tables[name].columns).filter((column) => column in row);
  return Object.fromEntries(columns.map((column) => [nameIn(column), row[column as keyof Row]])) as never;
}

/** Inserts the rows whose keys are new. Returns their number. */
export async function insertNew<Name extends TableName>(
  database: Database,
  name: Name,
  rows: readonly RowOf<Described[Name]>[],
): Promise<number> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto(name)
    .values(rows.map((row) => rowFor(name, row)) as never)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}
