import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, SqliteDialect } from 'kysely';
import type { Tables } from '../schema.ts';

const waitForOthersMs = 2_000;

/** A connection that makes no file, not even the two that belong to a log: the command may run as another user than the service. */
export function lookIntoSqlite(file: string): Kysely<Tables> {
  const address = pathToFileURL(file);
  // Without a log nobody has the database open, so that nothing changes while it is read as it lies there.
  if (!existsSync(`${file}-wal`)) address.searchParams.set('immutable', '1');
  const database = new DatabaseSync(address, { readOnly: true, timeout: waitForOthersMs });
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyWants(database) }) });
}

export function asKyselyWants(database: DatabaseSync) {
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const statement = database.prepare(sql);
      const given = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...given(parameters)),
        run: (parameters: readonly unknown[]) => statement.run(...given(parameters)),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...given(parameters)),
      };
    },
  };
}
