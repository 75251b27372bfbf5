import { type QueryCreator, sql } from 'kysely';
import type { Tables } from '../schema.ts';

/** No statement about all that somebody has takes long, however much that is. */
const mostAtOnce = 5_000;

/** Some records of an owner, for a statement to work on that is repeated until there are none; `.with('batch', ...)`. */
export function batchOf(owner: string) {
  return (database: QueryCreator<Tables>) =>
    database.selectFrom('records').select(['collection', 'id']).where('owner', '=', owner).limit(mostAtOnce);
}

/** Of those: `.where(...inBatch)`. */
export const inBatch = [sql`(collection, id)`, 'in', sql`(select collection, id from batch)`] as const;
