import { sql } from 'kysely';
import type { Engine, NewIndex } from './engine.ts';
import { initialStatements } from './initial-schema.ts';
import type { Database } from './schema.ts';

/** One step forward. The schema changes by a new step only, because a released step is never changed. */
export interface Migration {
  readonly version: number;
  readonly what: string;
  /** `expand`: older processes keep working. `contract`: removes what only they needed. */
  readonly kind: 'expand' | 'contract';
  /** The first version whose code can work with the schema after this step; needed for a `contract`. */
  readonly needs?: number;
  /** An index on a table that may be large: it is created before `up`, without blocking writers. */
  readonly index?: NewIndex;
  up(database: Database, types: ColumnTypes): Promise<void>;
}

/** The schema of 0.3.0 (initial-schema.ts). Several schemas before it had one lower number. */
export const firstReleased = 101;

export const migrations: readonly Migration[] = [
  {
    version: firstReleased,
    what: 'the schema of the first release',
    kind: 'expand',
    needs: firstReleased,
    async up(database, { engine }) {
      for (const statement of initialStatements(engine)) await sql.raw(statement).execute(database);
    },
  },
];

export const newestVersion = newestOf(migrations);

export function newestOf(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 0;
}

/** The types of columns that a step adds; see `initialStatements`. */
export function columnTypes(engine: Engine['name']) {
  return engine === 'postgres'
    ? ({ engine, text: sql`text collate "C"`, integer: 'bigint', tableEnd: sql`` } as const)
    : ({ engine, text: 'text', integer: 'integer', tableEnd: sql`strict` } as const);
}
export type ColumnTypes = ReturnType<typeof columnTypes>;
