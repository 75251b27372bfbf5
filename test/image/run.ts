import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { ApiCaller } from '../support/http/api-caller.ts';
import { send } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { openStage } from '../support/run/stage.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  newSettings,
  type Settings,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { buildImage } from './build.ts';
import { Engine } from './engine.ts';
import { propertiesOf } from './properties.ts';

/**
 * `npm run image [-- --base local]`: builds the image of deploy/docker/Dockerfile, runs it as deploy/docker/compose.yaml does, with each
 * database, and checks what it promises. With `--base local` the base is made from Debian packages instead of pulled.
 */
const { values } = parseArgs({ options: { base: { type: 'string', default: 'public' } } });
if (values.base !== 'public' && values.base !== 'local') throw new Error('--base is public or local');

const { vestibule } = parse(readFileSync('deploy/docker/compose.yaml', 'utf8')).services;
const graceSeconds = Number.parseInt(vestibule.stop_grace_period, 10);
const hardened = [
  `--read-only=${vestibule.read_only}`,
  ...vestibule.cap_drop.map((name: string) => `--cap-drop=${name}`),
  ...vestibule.security_opt.map((option: string) => `--security-opt=${option}`),
  ...vestibule.tmpfs.map((folder: string) => `--tmpfs=${folder}`),
];
const collections = '/etc/vestibule/collections';
const data = '/var/lib/vestibule';

function print(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) console.log(`${name.padEnd(24)} ${value}`);
}

async function settingsFor(database: DatabaseEngine, provider: TestProvider): Promise<Settings> {
  const { DATABASE_URL, MASTER_SECRET, BASE_URL, API_AUDIENCE } = await newSettings(database, {});
  const own =
    database === 'sqlite'
      ? { DATABASE_URL: `sqlite:${data}/vestibule.db` }
      : { DATABASE_URL, MASTER_SECRET, ERASURE_LOG: `${data}/erasures` };
  const all = { ...provider.settings, BASE_URL, API_AUDIENCE, ...own, COLLECTIONS_DIR: collections };
  const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
  return { ...all, HOST: '127.0.0.1', PORT, OPS_PORT } as Settings;
}

/** Starts a container and waits until it is ready; the seconds that this took. */
async function start(flags: readonly string[], settings: Settings) {
  const environment = Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`);
  const startedAt = performance.now();
  const container = await engine.start(image, [...hardened, ...flags, ...environment]);
  started.push(container);
  const readiness = () =>
    send(`http://127.0.0.1:${settings.OPS_PORT}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  await until(readiness, (status) => status === 200, 'the container is not ready').catch(async (error) => {
    throw new Error(`${error.message}\n${await engine.ask('logs', container)}`);
  });
  return { container, seconds: (performance.now() - startedAt) / 1000 };
}

async function stop(container: string): Promise<number> {
  const startedAt = performance.now();
  await engine.ask('stop', '-t', String(graceSeconds), container);
  const seconds = (performance.now() - startedAt) / 1000;
  const { Running, ExitCode } = (await engine.inspect('container', container)).State;
  // The engine kills what does not end in time: 137.
  assert.deepEqual({ Running, ExitCode }, { Running: false, ExitCode: 0 }, 'SIGTERM ends it in order');
  return seconds;
}

async function check(database: DatabaseEngine, provider: TestProvider): Promise<void> {
  const settings = await settingsFor(database, provider);
  const declarations = declarationsFolder({
    notes: 'schema: { properties: { text: { type: string, maxLength: 10 } } }',
  });
  const volume = await engine.ask('volume', 'create');
  volumes.push(volume);
  const flags = [`--volume=${volume}:${data}`, `--volume=${declarations}:${collections}:ro`];
  const caller = new ApiCaller(`http://127.0.0.1:${settings.PORT}`, await provider.token());
  const first = await start(flags, settings);
  const properties = await propertiesOf(engine, first.container);
  const { record } = await caller.make('notes', { text: 'kept' });
  const stopped = await stop(first.container);
  const second = await start(flags, settings);
  const kept = await caller.get(`/notes/${record.id}`);
  assert.equal(kept.json().text, 'kept', 'in a new container on the volume');
  await stop(second.container);
  print({
    database,
    ...properties,
    'ready after': `${first.seconds.toFixed(1)} s, the next container ${second.seconds.toFixed(1)} s`,
    stop: `exit 0 after ${stopped.toFixed(1)} s of ${graceSeconds} s`,
    'write in a new container': 'there',
  });
}

const engine = await Engine.find();
const stage = await openStage();
const started: string[] = [];
const volumes: string[] = [];
let image = '';
try {
  const { runDirectory } = JSON.parse(String(process.env.VESTIBULE_TEST));
  const startedAt = performance.now();
  image = await buildImage(engine, values.base, runDirectory);
  const { Size } = await engine.inspect('image', image);
  const built = `${Math.round((performance.now() - startedAt) / 1000)} s by ${engine.name}`;
  print({ image, built, size: `${Math.round(Size / 1e6)} MB` });
  const provider = await TestProvider.start();
  try {
    for (const database of databaseEngines) await check(database, provider);
  } finally {
    await provider.stop();
  }
} finally {
  for (const container of started) await engine.ask('rm', '--force', container);
  for (const volume of volumes) await engine.ask('volume', 'rm', '--force', volume);
  await stage.close();
}
