import { sql } from 'kysely';
import type { Engine } from './engine.ts';

/** Strings compare byte by byte on both databases; a locale's collation would order and match differently. */
export function columnTypes(engine: Engine['name']) {
  return engine === 'postgres'
    ? ({
        engine,
        text: sql`text collate "C"`,
        integer: 'bigint',
        counter: sql`bigint generated always as identity`,
        bytes: 'bytea',
        tableEnd: sql``,
        keyedTableEnd: sql``,
      } as const)
    : ({
        engine,
        text: 'text',
        integer: 'integer',
        counter: sql`integer`,
        bytes: 'blob',
        tableEnd: sql`strict`,
        /** Of small rows that are only found by their key: they are kept in it. */
        keyedTableEnd: sql`strict, without rowid`,
      } as const);
}
export type ColumnTypes = ReturnType<typeof columnTypes>;
