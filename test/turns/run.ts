import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuSeconds } from '../support/load/pinned-service.ts';
import { until } from '../support/run/polling.ts';
import { openStage } from '../support/run/stage.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { addClient, databaseEngines, newSettings, type Settings } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { Bystander, type Waits } from './bystander.ts';
import { manyDeclarations, settings as ofKinds, Worst } from './kinds.ts';
import { type Asked, send } from './send.ts';

/**
 * `npm run turns -- --database sqlite|postgres`: every kind of request of one caller, or of nobody, at its worst size within the limits
 * and 64 at a time; what another person waits meanwhile. `--alone` measures each kind by itself, one request after the other. It prints
 * docs/scale.md's table.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    /** Kinds whose name contains one of these texts. */
    only: { type: 'string', default: '' },
    alone: { type: 'boolean', default: false },
    /** The repository of the service that is measured. */
    service: { type: 'string', default: '.' },
  },
});
const database = databaseEngines.find((engine) => engine === values.database);
if (database === undefined) throw new Error(`--database is one of ${databaseEngines.join(', ')}`);
const ms = Number(values.seconds) * 1000;
const texts = values.only.split(',');

/** More of the other person's waits than beside nobody. */
const maxReadMs = 100;
const maxWriteMs = 200;

async function startProcess(settings: Settings) {
  const logFile = `${settings.TEST_DIRECTORY}/service.log`;
  const log = openSync(logFile, 'w');
  // A log in a pipe would wait for this process.
  const child = spawn(process.execPath, ['bin/vestibule.js', 'serve'], {
    cwd: values.service,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', log, log],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const line = await until(
    () => /^.*"msg":"listening".*$/m.exec(readFileSync(logFile, 'utf8'))?.[0] ?? '',
    Boolean,
    'the service does not listen',
    60_000,
  );
  const { address, ops_address: opsUrl } = JSON.parse(line);
  return {
    process: child,
    url: String(address),
    opsUrl: String(opsUrl),
    async stop() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

const at = (samples: readonly number[], share: number) =>
  samples.toSorted((a, b) => a - b)[Math.min(Math.floor(samples.length * share), samples.length - 1)] ??
  Number.POSITIVE_INFINITY;
const round = (value: number) => (Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : 'none');
const shown = (samples: readonly number[]) => `${round(at(samples, 0.5))}/${round(at(samples, 0.99))}`;
const row = (cells: readonly unknown[]) => console.log(`| ${cells.join(' | ')} |`);

/** Keeps so many requests in flight until it is stopped. */
function flood(url: string, make: () => Asked) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number(values.connections) });
  const statuses: Record<string, number> = {};
  let isOn = true;
  const one = async () => {
    while (isOn) {
      const { status } = await send(url, agent, make());
      if (!isOn) return;
      const name = status === 0 ? 'cut off' : String(status);
      statuses[name] = (statuses[name] ?? 0) + 1;
      // A connection that was refused is not tried again at once.
      if (status === 0) await pause(5);
    }
  };
  const all = Array.from({ length: Number(values.connections) }, one);
  return async () => {
    isOn = false;
    agent.destroy();
    await Promise.all(all);
    return Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ');
  };
}

const exceeds = (quiet: Waits, flooded: Waits) =>
  [
    ...(at(flooded.read, 0.99) > maxReadMs + at(quiet.read, 0.99) ? ['read'] : []),
    ...(at(flooded.write, 0.99) > maxWriteMs + at(quiet.write, 0.99) ? ['write'] : []),
    ...(Math.max(...flooded.livez) > 1_000 ? ['livez'] : []),
  ].join();

const stage = await openStage();
const provider = await TestProvider.start();
const settings = await newSettings(database, {
  ...provider.settings,
  ...ofKinds,
  COLLECTIONS_DIR: declarationsFolder(manyDeclarations),
  LOG_LEVEL: 'info',
  TOKEN_SIGNING_ALG: 'RS256',
});
const service = await startProcess(settings);
const secret = await addClient(settings, 'machine');
const worst = new Worst({
  url: service.url,
  baseUrl: String(settings.BASE_URL),
  provider,
  client: { id: 'machine', secret },
});
const { read, write, kinds } = await worst.fill();
const chosen = Object.entries(kinds).filter(([name]) => texts.some((text) => name.includes(text)));
const bystander = new Bystander({ url: service.url, opsUrl: service.opsUrl, read, write });
try {
  if (values.alone) await alone();
  else await floods();
} finally {
  await bystander.stop();
  worst.agent.destroy();
  await provider.stop();
  await service.stop();
  await stage.close();
}

async function alone(): Promise<void> {
  row([`${database}, one at a time`, 'p50 ms', 'CPU ms of the service', 'requests']);
  row(['---', '---:', '---:', '---:']);
  for (const [name, make] of chosen) {
    const samples: number[] = [];
    for (let n = 0; n < 20; n += 1) await worst.ask(make());
    const before = cpuSeconds(service);
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const asked = make();
      const since = performance.now();
      await worst.ask(asked);
      samples.push(performance.now() - since);
    }
    const cpuMs = ((cpuSeconds(service) - before) * 1000) / samples.length;
    row([name, at(samples, 0.5).toFixed(2), cpuMs.toFixed(3), samples.length]);
  }
}

/** Until the service has answered the flood before, a minute at most. */
async function settle(): Promise<void> {
  const end = performance.now() + 60_000;
  for (let quick = 0; quick < 5 && performance.now() < end; ) {
    const since = performance.now();
    await worst.ask(write);
    quick = performance.now() - since < 30 ? quick + 1 : 0;
  }
}

async function floods(): Promise<void> {
  const heading = `${database}, ${values.connections} at a time`;
  row([
    heading,
    'quiet read',
    'quiet write',
    'read p50/p99 ms',
    'write p50/p99 ms',
    'livez max',
    'statuses',
    'over',
  ]);
  row(['---', '---:', '---:', '---:', '---:', '---:', '---', '---']);
  for (const [name, make] of chosen) {
    await settle();
    const quiet = await bystander.during(() => pause(700));
    const stop = flood(service.url, make);
    await pause(100);
    let statuses = '';
    const flooded = await bystander.during(async () => {
      await pause(ms);
      statuses = await stop();
    });
    const refused = Object.entries(flooded.statuses).filter(([status]) => status !== '200');
    const others = refused.map(([status, count]) => `${count} of the other person's are ${status}`);
    row([
      name,
      shown(quiet.read),
      shown(quiet.write),
      shown(flooded.read),
      shown(flooded.write),
      round(Math.max(...flooded.livez)),
      [statuses, ...others].join('; '),
      exceeds(quiet, flooded),
    ]);
  }
}
