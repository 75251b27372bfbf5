/** The language in which tables.ts describes the write path. statements.ts of each database makes SQL of it. */

export interface Column<Value = unknown> {
  readonly type: 'text' | 'integer' | 'bytes';
  readonly isNullable: boolean;
  /** Changes add to the stored number, which never falls below 0. */
  readonly isAdded: boolean;
  /** Only for the compiler, as are `row` and `key` below. */
  readonly value?: Value;
}

function column<Value>(type: Column['type'], { isNullable = false, isAdded = false } = {}): Column<Value> {
  return { type, isNullable, isAdded };
}

export const text = column<string>('text');
export const textOrNull = column<string | null>('text', { isNullable: true });
export const integer = column<number>('integer');
export const added = column<number>('integer', { isAdded: true });
export const integerOrNull = column<number | null>('integer', { isNullable: true });
export const bytes = column<Uint8Array>('bytes');
export const bytesOrNull = column<Uint8Array | null>('bytes', { isNullable: true });
export function oneOf<Value extends string | null>(options = {}): Column<Value> {
  return column<Value>('text', options);
}

type Columns = Readonly<Record<string, Column>>;
type Values<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never;
};

/** Columns have the names of the code: `recordId` is `record_id` in the database. */
export interface Table<Row = unknown> {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Columns;
  readonly row?: Row;
}

export function table<const Of extends Columns>(
  name: string,
  key: readonly (keyof Of & string)[],
  columns: Of,
): Table<Values<Of>> {
  return { name, key, columns };
}

export type RowOf<Of> = Of extends Table<infer Row> ? Row : never;

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';
/** The row under the names of the database. */
export type RowIn<Row> = { readonly [Name in keyof Row & string as Snake<Name>]: Row[Name] };

/** The name of a column in the database. */
export function nameIn(database: string): string {
  return database.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Read or written by special.ts of each database. */
export interface Special {
  readonly how: 'special';
}

interface Read<Key, Row> extends Locking {
  readonly key?: Key;
  readonly row?: Row;
}

interface Locking {
  /** Rows are locked until the batch ends, in the order of their keys. */
  readonly isLocked: boolean;
}

export interface RowsByKey extends Locking {
  readonly how: 'rows' | 'counts';
  readonly table: Table;
  readonly by: readonly string[];
  /** The columns that are read, or by whose value rows are counted. */
  readonly read: readonly string[];
  readonly order: readonly string[];
  /** Each key has a `limit`. */
  readonly isLimited: boolean;
}

export type Lookup = Read<unknown, unknown> & (RowsByKey | Special);

type Name<Row> = keyof Row & string;

export function rows<Row, const By extends Name<Row>>(
  of: Table<Row>,
  by: readonly By[],
  { isLocked = false } = {},
): RowsByKey & Read<Pick<Row, By>, Row> {
  return { how: 'rows', table: of, by, read: Object.keys(of.columns), order: [], isLimited: false, isLocked };
}

/** The first rows for each key. */
export function firstRows<Row, const By extends Name<Row>>(
  of: Table<Row>,
  by: readonly By[],
  { isLocked = false, order = [] as readonly Name<Row>[] } = {},
): RowsByKey & Read<Pick<Row, By> & { readonly limit: number }, Row> {
  return { ...rows(of, by, { isLocked }), order, isLimited: true } as never;
}

export function counts<Row, const By extends Name<Row>, const Counted extends Name<Row>>(
  of: Table<Row>,
  by: readonly By[],
  counted: Counted,
): RowsByKey & Read<Pick<Row, By>, Pick<Row, By | Counted> & { readonly count: number }> {
  return { how: 'counts', table: of, by, read: [counted], order: [], isLimited: false, isLocked: false };
}

/** The lookup, reading some columns only. */
export function only<Key, Row, const Columns extends Name<Row>>(
  lookup: RowsByKey & Read<Key, Row>,
  read: readonly Columns[],
): RowsByKey & Read<Key, Pick<Row, Columns>> {
  return { ...lookup, read } as never;
}

export function special<Key, Row>({ isLocked = false } = {}): Special & Read<Key, Row> {
  return { how: 'special', isLocked };
}

interface Written<Row> {
  readonly row?: Row;
}

export interface RowsWritten {
  /** `put` inserts or replaces; `add` changes added columns only; `append` numbers rows in the last column of the key. */
  readonly how: 'insert' | 'put' | 'add' | 'remove' | 'append';
  readonly table: Table;
  readonly by: readonly string[];
  /** Writes only under rows of this table that exist: their key is the beginning of the key. */
  readonly under: Table | null;
  /** How many appended rows are kept. */
  readonly kept: number;
}

export type Write = RowsWritten | Special;

const plain = { under: null, kept: 0 } as const;

export function insert<Row>(of: Table<Row>): RowsWritten & Written<Row> {
  return { ...plain, how: 'insert', table: of, by: of.key };
}

export function put<Row>(of: Table<Row>, under: Table | null = null): RowsWritten & Written<Row> {
  return { ...plain, how: 'put', table: of, by: of.key, under };
}

export function add<Row, const Columns extends Name<Row>>(
  of: Table<Row>,
  written: readonly Columns[],
): RowsWritten & Written<Pick<Row, Columns>> {
  return { ...plain, how: 'add', table: of, by: written };
}

export function remove<Row, const By extends Name<Row>>(
  of: Table<Row>,
  by: readonly By[],
): RowsWritten & Written<Pick<Row, By>> {
  return { ...plain, how: 'remove', table: of, by };
}

export function append<Row, const Numbered extends Name<Row>>(
  of: Table<Row>,
  { kept }: { readonly numbered: Numbered; readonly kept: number },
): RowsWritten & Written<Omit<Row, Numbered>> {
  return { ...plain, how: 'append', table: of, by: of.key, kept };
}

export function specialWrite<Row>(): Special & Written<Row> {
  return { how: 'special' };
}

export type Keys<Of> = {
  readonly [Name in keyof Of]?: Of[Name] extends Read<infer Key, unknown> ? readonly Key[] : never;
};
export type Found<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends Read<unknown, infer Row> ? readonly Row[] : never;
};
export type Changes<Of> = {
  readonly [Name in keyof Of]?: Of[Name] extends Written<infer Row> ? readonly Row[] : never;
};
/** The names of what special.ts has to do. */
export type SpecialIn<Of> = {
  [Name in keyof Of]: Of[Name] extends Special ? Name : never;
}[keyof Of];
