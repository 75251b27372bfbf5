import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, bearer } from '../shared/ask.ts';
import type { Database } from '../shared/database.ts';
import type { Postgres } from '../shared/postgres.ts';
import type { RunningServer } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { type Stage, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';
import { declarations, entry, note, type Owned, paper } from './data.ts';

export interface RequestsStage extends Stage {
  readonly tokens: readonly string[];
  readonly postgres: Postgres;
}

export interface Service {
  readonly server: RunningServer;
  readonly origin: string;
  readonly folder: string;
  readonly callers: readonly Owned[];
}

const notesOfCaller = 200;

/** `serve` of a checkout with a database of its own, in which each caller owns records; request log off. */
export async function startService(
  checkout: string,
  database: Database,
  stage: RequestsStage,
): Promise<Service> {
  const surroundings = await surroundingsFor(`requests-${database}`, stage);
  const { folder, port, opsPort } = surroundings;
  const collections = join(folder, 'collections');
  mkdirSync(collections);
  for (const [name, text] of Object.entries(declarations))
    writeFileSync(join(collections, `${name}.yaml`), text);
  const program = vestibule(surroundings, 'warn', {
    ...(database === 'sqlite' ? {} : { DATABASE_URL: await stage.postgres.createDatabase() }),
    MASTER_SECRET: randomBytes(48).toString('base64url'),
    COLLECTIONS_DIR: collections,
    READS_PER_MINUTE: '1000000',
    // All callers of a fresh database are new.
    NEWCOMERS_PER_HOUR: '0',
  });
  const started = { ...program, parameters: [join(checkout, 'bin/vestibule.js'), 'serve'] };
  const isReady = answers(`http://127.0.0.1:${opsPort}/readyz`);
  const server = await startReady('vestibule', started, folder, isReady);
  const origin = `http://127.0.0.1:${port}`;
  const callers: Owned[] = [];
  for (const token of stage.tokens) callers.push(await fill(origin, token));
  return { server, origin, folder, callers };
}

async function fill(origin: string, token: string): Promise<Owned> {
  const post = async (path: string, body: object) => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const answer = await ask(`${origin}/api/consumer/v1/${path}`, headers, JSON.stringify(body));
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`POST ${path} was answered with ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body);
  };
  const notes: string[] = [];
  while (notes.length < notesOfCaller) {
    const operations = Array.from({ length: 50 }, (_, index) => {
      return { create: 'notes', fields: note(notes.length + index) };
    });
    const { results } = await post('batch', { operations });
    notes.push(...results.map(({ record }: { record: { id: string } }) => record.id));
  }
  const { id } = await post('papers', paper);
  const circle = (await post('circles', { title: 'a circle' })).id;
  for (let count = 0; count < 50; count += 1) await post('entries', entry(circle));
  return { token, notes, papers: [id], circle };
}
