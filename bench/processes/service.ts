import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../shared/ask.ts';
import type { Postgres } from '../shared/postgres.ts';
import { allCores, serverCore } from '../shared/processes.ts';
import { startReady } from '../shared/ready.ts';
import { type Stage, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';

export const counts = [1, 2] as const;
export type Count = (typeof counts)[number];

/** One process on a core of its own, or two on both cores, which they share with the load. */
export const coresOf = (processes: Count) => (processes === 1 ? serverCore : allCores);

const declaration = `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 500 }, stars: { type: integer } }
limits: { per_user: 1000000, bytes: 4096, writes: 1000000/s }
`;

/** `serve --processes` on a new PostgreSQL database, request log off. */
export async function startWith(processes: Count, stage: Stage, postgres: Postgres) {
  const name = `processes-${processes}`;
  const surroundings = await surroundingsFor(name, stage);
  const collections = join(surroundings.folder, 'collections');
  mkdirSync(collections);
  writeFileSync(join(collections, 'notes.yaml'), declaration);
  const served = vestibule(surroundings, 'warn', {
    DATABASE_URL: await postgres.createDatabase(),
    MASTER_SECRET: randomBytes(48).toString('base64url'),
    COLLECTIONS_DIR: collections,
    NEWCOMERS_PER_HOUR: '0',
  });
  const program = { ...served, parameters: [...served.parameters, '--processes', String(processes)] };
  const { port, opsPort, folder } = surroundings;
  const isReady = async () => {
    const { status, body } = await ask(`http://127.0.0.1:${opsPort}/readyz`);
    return status === 200 && (JSON.parse(body).processes?.serving ?? 1) === processes;
  };
  const server = await startReady(name, program, folder, isReady, coresOf(processes));
  return {
    origin: `http://127.0.0.1:${port}`,
    folder,
    pids: () => [server.pid, ...childrenOf(server.pid)],
    stop: () => server.stop(),
  };
}

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}
