import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/**
 * A foreign transaction that stays open in the same database, like a report or a backup: its snapshot is older than all
 * writes of the measurement and, if others may write beside it, it has a change of its own. The returned function ends it.
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
