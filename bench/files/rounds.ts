import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { bearer } from '../shared/ask.ts';
import { table } from '../shared/markdown.ts';
import { allCores } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { mePath, type Stage, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';

/** A file counts if each of so many requests enters it: polls in the background come between some of them only. */
const requests = 100;
/** Longer than the work after an answer, such as its line in the log, and shorter than the time between two polls. */
const settleMs = 3;
const notes = `
schema: { required: [text], properties: { text: { type: string, maxLength: 100 } } }
limits: { writes: 10000/min }`;
const rooms = ['http', 'auth', 'base', 'consumer', 'ops', 'events', 'collections', 'records', 'storage'];

type Send = () => Promise<unknown>;

/** The files of src that a warm request enters, on SQLite and with a known token, by room. */
export async function measureFiles(stage: Stage): Promise<string> {
  const surroundings = await surroundingsFor('files', stage);
  const output = join(surroundings.folder, 'entered');
  const collections = join(surroundings.folder, 'collections');
  mkdirSync(collections);
  writeFileSync(join(collections, 'notes.yaml'), notes);
  const program = vestibule(surroundings, 'info', {
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'coverage.ts')).href}`,
    ENTERED_FILES: output,
    COLLECTIONS_DIR: collections,
  });
  const source = { ...program, parameters: [join(import.meta.dirname, '../../src/main.ts'), 'serve'] };
  const isReady = answers(`http://127.0.0.1:${surroundings.opsPort}/readyz`);
  const server = await startReady('vestibule', source, surroundings.folder, isReady, allCores);
  try {
    const send = sender(`http://127.0.0.1:${surroundings.port}`, stage.goodToken);
    const { id } = await send('/api/consumer/v1/notes', { text: 'one' });
    const create = { create: 'notes', fields: { text: 'one of two' } };
    const kinds: Readonly<Record<string, Send>> = {
      '`GET /me`': () => send(mePath),
      'one record': () => send(`/api/consumer/v1/notes/${id}`),
      '`POST`': () => send('/api/consumer/v1/notes', { text: 'another' }),
      'batch of two': () => send('/api/consumer/v1/batch', { operations: [create, create] }),
    };
    const take = taker(server.pid, output);
    const entered: ReadonlySet<string>[] = [];
    for (const [kind, request] of Object.entries(kinds)) {
      const files = await enteredBy(request, take);
      stage.say(`${kind}: ${[...files].sort().join(' ')}`);
      entered.push(files);
    }
    return tableOf(Object.keys(kinds), entered);
  } finally {
    await server.stop();
  }
}

function sender(origin: string, token: string) {
  return async (path: string, body?: object) => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const written = body && { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(origin + path, { headers, ...written });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} was answered with ${reply.status}: ${text}`);
    return JSON.parse(text);
  };
}

/** Returns the files that all threads have entered since the call before. */
function taker(pid: number, output: string) {
  // What follows the last end of a line is not written yet.
  const lines = () => readFileSync(output, 'utf8').split('\n').slice(0, -1);
  const threads = lines().length;
  return async () => {
    await sleep(settleMs);
    const before = lines().length;
    process.kill(pid, 'SIGUSR2');
    const deadline = performance.now() + 5_000;
    while (lines().length < before + threads) {
      if (performance.now() > deadline)
        throw new Error('A thread of the service does not answer the signal.');
      await sleep(1);
    }
    return new Set<string>(
      lines()
        .slice(before)
        .flatMap((line) => JSON.parse(line)),
    );
  };
}

async function enteredBy(request: Send, take: () => Promise<Set<string>>): Promise<ReadonlySet<string>> {
  await request();
  const taken: Set<string>[] = [];
  while (taken.length < requests) {
    await take();
    await request();
    taken.push(await take());
  }
  return taken.reduce((common, files) => common.intersection(files));
}

function tableOf(kinds: readonly string[], entered: readonly ReadonlySet<string>[]): string {
  const roomOf = (file: string) => file.split('/')[0] ?? '';
  const others = new Set(entered.flatMap((files) => [...files].map(roomOf))).difference(new Set(rooms));
  const rows = [...rooms, ...others].map((room) => {
    const counts = entered.map((files) => [...files].filter((file) => roomOf(file) === room).length);
    return [`\`${room}\``, ...counts.map((count) => (count === 0 ? '' : `${count}`))];
  });
  const sums = ['together', ...entered.map((files) => `${files.size}`)];
  return table('Files that a warm request enters, on SQLite', kinds, [...rows, sums]);
}
