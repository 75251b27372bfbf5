import { sql } from 'kysely';
import type { Engine } from './engine.ts';

/**
 * Milliseconds since 1970 by the clock of the database, for a statement to compare with: it is one for all processes,
 * however much theirs differ.
 */
export function databaseNow(engine: Engine['name']) {
  return engine === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
