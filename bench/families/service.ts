import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, bearer } from '../shared/ask.ts';
import { type Database, executeIn, numberIn } from '../shared/database.ts';
import type { Postgres } from '../shared/postgres.ts';
import { cpuBetween, cpuOfEach } from '../shared/postgres.ts';
import type { RunningServer } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { mePath, type Stage, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';
import { type Declarations, pathOf } from './data.ts';

/** The shared parts of all measurements of records with parents. */
export interface FamiliesStage extends Stage {
  readonly tokens: readonly string[];
  readonly postgres: Postgres;
}

/** A service with a database of its own, which can be started again and again. */
export interface Service {
  readonly origin: string;
  readonly folder: string;
  readonly databaseUrl: string;
  start(): Promise<RunningServer>;
  /** Runs statements while the service is stopped. */
  fill(statements: Iterable<string>): Promise<void>;
  count(query: string): Promise<number>;
}

export async function newService(
  name: string,
  database: Database,
  declarations: Declarations,
  stage: FamiliesStage,
): Promise<Service> {
  const surroundings = await surroundingsFor(`${name}-${database}`, stage);
  const { folder, port, opsPort } = surroundings;
  const collections = join(folder, 'collections');
  mkdirSync(collections);
  for (const [own, text] of Object.entries(declarations))
    writeFileSync(join(collections, `${own}.yaml`), text);
  const databaseUrl =
    database === 'sqlite' ? `sqlite:${join(folder, 'vestibule.db')}` : await stage.postgres.createDatabase();
  const program = vestibule(surroundings, 'warn', {
    DATABASE_URL: databaseUrl,
    MASTER_SECRET: randomBytes(48).toString('base64url'),
    COLLECTIONS_DIR: collections,
    READS_PER_MINUTE: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '20000',
    MAX_CONNECTIONS: '20000',
    // All callers of a fresh database are new.
    NEWCOMERS_PER_HOUR: '0',
  });
  const isReady = answers(`http://127.0.0.1:${opsPort}/readyz`);
  return {
    origin: `http://127.0.0.1:${port}`,
    folder,
    databaseUrl,
    start: () => startReady(name, program, folder, isReady),
    fill: (statements) => executeIn(databaseUrl, statements),
    count: (query) => numberIn(databaseUrl, query),
  };
}

/** Starts it once, which makes the tables; so many callers are registered. Answers with their ids. */
export async function register(
  service: Service,
  callers: number,
  stage: FamiliesStage,
): Promise<readonly string[]> {
  const server = await service.start();
  const ids: string[] = [];
  const atOnce = 20;
  try {
    for (let from = 0; from < callers; from += atOnce) {
      const some = stage.tokens.slice(from, Math.min(from + atOnce, callers));
      const answers = await Promise.all(
        some.map((token) => ask(`${service.origin}${mePath}`, bearer(token))),
      );
      ids.push(...answers.map(({ body }) => JSON.parse(body).id));
    }
  } finally {
    await server.stop();
  }
  return ids;
}

/** Writes a record and answers with its id. */
export async function post(origin: string, token: string, collection: string, body: string): Promise<string> {
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  const answer = await ask(`${origin}${pathOf(collection)}`, headers, body);
  if (answer.status !== 201)
    throw new Error(`POST ${collection} was answered with ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body).id;
}

/** The CPU that PostgreSQL has used during a task, in seconds; none for SQLite, which is in the service. */
export async function databaseCpuDuring<T>(
  database: Database,
  { postgres }: FamiliesStage,
  task: () => Promise<T>,
): Promise<readonly [T, number]> {
  const pids = () => (database === 'postgres' ? postgres.pids() : []);
  const before = cpuOfEach(pids());
  const result = await task();
  return [result, cpuBetween(before, cpuOfEach(pids()))];
}
