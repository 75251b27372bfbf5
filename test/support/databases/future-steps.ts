import { sql } from 'kysely';
import { type Migration, migrations, newestVersion } from '../../../src/storage/migrations.ts';

/** What a release after this one could add to the schema. */
const expands: Migration = {
  version: newestVersion + 1,
  what: 'columns, and a table',
  kind: 'expand',
  async up({ schema }, types) {
    // SQLite looks through all rows of a strict table that gets a column: a large one gets none there.
    if (types.engine === 'postgres')
      await schema.alterTable('records').addColumn('colour', types.text).execute();
    await schema.alterTable('consumers').addColumn('greeted_at', types.integer).execute();
    await schema
      .createTable('future_copies')
      .addColumn('id', types.text, (column) => column.primaryKey().notNull())
      .modifyEnd(types.tableEnd)
      .execute();
  },
};

const expandsByIndex: Migration = {
  version: newestVersion + 2,
  what: 'an index of revisions',
  kind: 'expand',
  index: { name: 'records_revision', table: 'records', on: '(collection, revision)' },
  async up() {},
};

const contracts: Migration = {
  version: newestVersion + 3,
  what: 'the table is not needed any more',
  kind: 'contract',
  needs: newestVersion + 1,
  async up(database) {
    await sql`drop table future_copies`.execute(database);
  },
};

/** This release, and one after it that can run beside it. */
export const releases = {
  now: migrations,
  next: [...migrations, expands, expandsByIndex, contracts],
} as const satisfies Readonly<Record<string, readonly Migration[]>>;

export type Release = keyof typeof releases;
