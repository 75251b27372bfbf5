import { crc32 } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import { OperatorError } from '../../base/errors.ts';
import type { Begin } from '../../base/progress.ts';
import type { Engine } from '../engine.ts';
import type { DeclaredIndexes } from '../port.ts';
import type { Database } from '../schema.ts';
import { fieldExpression } from './record-fields.ts';

/** The indexes of the table that are created and dropped here. */
const prefix = 'declared_';

/** True if a definition of SQLite, after the name of its table, is such an index: it has no effect but on speed. */
export function isDeclaredIndex(definition: string): boolean {
  return /^records: CREATE (UNIQUE )?INDEX "declared_[a-z0-9_]+" on records \(/.test(definition);
}

/** Creates the indexes that these collections need and drops the others. Locks nothing if there is nothing to do. */
export async function prepareIndexes(
  engine: Engine,
  collections: readonly DeclaredIndexes[],
  begin: Begin = () => {},
): Promise<void> {
  const wanted = new Map(
    collections.flatMap((collection) => indexesOf(engine, collection)).map((index) => [index.name, index]),
  );
  const found = await existingIndexes(engine, engine.database);
  if (found.symmetricDifference(wanted).size === 0) return;
  const hasMany = await isLarge(engine.database);
  const beginIndex = (name: string) => {
    if (hasMany) begin(`Creating the index ${name}`, engine.tables.indexExtent);
  };
  if (engine.name === 'postgres' && hasMany) {
    for (const [name, { on, isUnique }] of wanted) {
      const definition = on.compile(engine.database).sql;
      // Unique indexes are created at once, under the lock, because they can fail.
      if (found.has(name) || isUnique) continue;
      beginIndex(name);
      await engine.tables.buildIndex({ name, table: 'records', on: definition });
    }
  }
  await engine.tables.alter('record_indexes', async (transaction) => {
    const existing = await existingIndexes(engine, transaction);
    for (const name of existing.difference(wanted)) await transaction.schema.dropIndex(name).execute();
    for (const [name, { on, isUnique }] of wanted) {
      if (existing.has(name)) continue;
      beginIndex(name);
      // An index that was not completed.
      await transaction.schema.dropIndex(name).ifExists().execute();
      const kind = sql.raw(isUnique ? 'unique index' : 'index');
      await sql`create ${kind} ${sql.id(name)} on records ${on}`.execute(transaction).catch((error) => {
        throw isUnique && isDuplicate(error) ? notUnique(name) : error;
      });
    }
  });
}

function isDuplicate(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === '23505' || String(message).includes('UNIQUE constraint failed');
}

function notUnique(name: string): OperatorError {
  return new OperatorError(
    `Some records have the same values, which a rule in "unique" of the declarations forbids (index ${name}). "npx vestibule check --against" counts them. Change or delete them, or remove the rule.`,
  );
}

/** With more records than this, creating an index blocks writers noticeably. */
const many = 10_000;

async function isLarge(database: Database): Promise<boolean> {
  const some = database.selectFrom('records').select('id').limit(sql.lit(many)).as('some');
  const { count } = await database
    .selectFrom(some)
    .select((select) => select.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) >= many;
}

interface DeclaredIndex {
  readonly name: string;
  /** The columns of the index, and the records in it. */
  readonly on: RawBuilder<unknown>;
  readonly isUnique: boolean;
}

function indexesOf(engine: Engine, collection: DeclaredIndexes): DeclaredIndex[] {
  const { name, index, listedByOthers = true, listedInStates = [], expires = true, bytes = 0 } = collection;
  const { hasParent = false, unique = [] } = collection;
  const ofCollection = sql`collection = ${sql.lit(name)}`;
  // The lists of others' records: everything, or certain states.
  const lists = [
    ...(listedByOthers ? [ofCollection] : []),
    ...listedInStates.map((states) => sql`${ofCollection} and ${inStates(states)}`),
  ];
  const declared = (what: string, columns: RawBuilder<unknown>, condition = ofCollection): DeclaredIndex => {
    const on = sql`(${columns}) where ${condition}`;
    return { name: nameOf(name, what, on.compile(engine.database).sql), on, isUnique: false };
  };
  const same = unique.map(({ columns, states }) => {
    const values = columns.map((one) => (one === 'owner' ? sql`owner` : fieldExpression(engine.name, one)));
    const counted = states === null ? ofCollection : sql`${ofCollection} and ${inStates(states)}`;
    return { ...declared('unique', sql`collection, ${sql.join(values)}`, counted), isUnique: true };
  });
  // The index contains the collection although it is the same for all rows: SQLite has no statistics, and takes the index
  // whose leading columns fit best.
  return [
    ...lists.map((list) => declared('created_at', sql`collection, created_at, id`, list)),
    ...(expires ? [declared('updated_at', sql`collection, updated_at`)] : []),
    ...same,
    ...index.flatMap((field) => {
      const value = fieldExpression(engine.name, field);
      const ofOwner = declared(field.name, sql`owner, collection, ${value}, id`);
      const ofAll = sql`collection, ${value}, id`;
      const isWhole = engine.name === 'sqlite' && bytes <= maxCarried;
      const ofOthers = lists.map((list) =>
        isWhole ? declared(field.name, ...whole(ofAll, list)) : declared(field.name, ofAll, list),
      );
      const ofParent = hasParent ? [declared(field.name, sql`collection, parent_id, ${value}, id`)] : [];
      return [ofOwner, ...ofOthers, ...ofParent];
    }),
  ];
}

/** The largest body that is stored in an index, too: the limit of a collection that does not set one. */
const maxCarried = 16_384;

/** SQLite would read a page of the file for each record in a list of all owners, so this index holds whole records. */
function whole(columns: RawBuilder<unknown>, condition: RawBuilder<unknown>) {
  const rest = sql`owner, parent_id, state, revision, created_at, updated_at, body`;
  return [sql`${columns}, ${rest}`, sql`${condition} and ${ofEverybody}`] as const;
}

/**
 * True for every record. Only lists of all owners have this condition, so that SQLite uses the index with whole records for
 * them alone.
 */
export const ofEverybody: RawBuilder<boolean> = sql<boolean>`id <> ''`;

/** The same text in an index and in a query, so that both databases recognise that they match. */
export function inStates(states: readonly string[]): RawBuilder<boolean> {
  // PostgreSQL has no empty list.
  if (states.length === 0) return sql<boolean>`false`;
  return sql<boolean>`state in (${sql.join(states.map((state) => sql.lit(state)))})`;
}

/** A readable name, unique for every definition. PostgreSQL truncates names after 63 bytes. */
function nameOf(collection: string, what: string, definition: string): string {
  const readable = `${collection}_${what}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 44);
  return `${prefix}${readable}_${crc32(definition).toString(16).padStart(8, '0')}`;
}

async function existingIndexes(engine: Engine, database: Database): Promise<Set<string>> {
  const ofRecords =
    engine.name === 'postgres'
      ? sql<{ name: string }>`select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
          where indrelid = to_regclass('records') and indisvalid`
      : sql<{ name: string }>`select name from sqlite_schema where type = 'index' and tbl_name = 'records'`;
  const { rows } = await ofRecords.execute(database);
  return new Set(rows.map(({ name }) => name).filter((name) => name.startsWith(prefix)));
}
