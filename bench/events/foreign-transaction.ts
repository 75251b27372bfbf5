import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/**
 * Somebody else who keeps a transaction open in the same database, as a report or a backup does: with a snapshot from before
 * all that is written meanwhile, and, where others may write beside it, with a change of its own. The returned function ends it.
 */
export async function beginForeignTransaction(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec('begin');
    database.prepare('select count(*) from events').get();
    return async () => database.close();
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create table foreign_notes (text text)');
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from events');
  await client.query(`insert into foreign_notes values ('of somebody else')`);
  return () => client.end();
}
