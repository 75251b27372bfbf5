import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

export const databases = ['sqlite', 'postgres'] as const;
export type Database = (typeof databases)[number];

const scheme = 'sqlite:';

/** Runs statements that both databases understand, past the service. */
export async function executeIn(url: string, statements: Iterable<string>): Promise<void> {
  if (url.startsWith(scheme))
    return withFile(url.slice(scheme.length), (database) => {
      database.exec('begin');
      for (const statement of statements) database.exec(statement);
      database.exec('commit');
    });
  return withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
    await client.query('vacuum analyze');
  });
}

/** The one number that a query answers with. */
export async function numberIn(url: string, query: string): Promise<number> {
  if (!url.startsWith(scheme))
    return withClient(url, async (client) =>
      Number(Object.values((await client.query(query)).rows[0] ?? {})[0]),
    );
  using database = new DatabaseSync(url.slice(scheme.length), { readOnly: true });
  return Number(Object.values(database.prepare(query).get() ?? {})[0]);
}

export async function withFile<T>(file: string, task: (database: DatabaseSync) => T): Promise<T> {
  const database = new DatabaseSync(file);
  // What is filled in need not survive a loss of power; it is on the disk before anything is measured.
  database.exec('pragma synchronous = off; pragma cache_size = -1000000');
  const result = task(database);
  database.exec('pragma synchronous = full; pragma wal_checkpoint(truncate)');
  database.close();
  return result;
}

export async function withClient<T>(url: string, task: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}
