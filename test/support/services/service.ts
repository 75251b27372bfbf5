import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { canShareProcess, runInSharedProcess } from '../commands/commands.ts';
import { type Outcome, succeeded } from '../commands/outcome.ts';
import type { Release } from '../databases/future-steps.ts';
import { createDatabase, isAllPooled } from '../databases/postgres.ts';
import { send } from '../http/request.ts';
import { part, surroundings } from '../run/surroundings.ts';
import type { ClockMessage } from './clocked-main.ts';
import { newMasterSecret } from './master-secret.ts';
import type { ClockChange } from './movable-clock.ts';
import { ServiceHost } from './service-host.ts';

export type DatabaseEngine = 'sqlite' | 'postgres';
/** For cases that touch a statement, a lock or a failure of the database. */
export const databaseEngines: readonly DatabaseEngine[] = ['sqlite', 'postgres'];
/** For all others: test/contract holds both databases to the same answers. */
export const someEngine: readonly DatabaseEngine[] = isAllPooled ? ['postgres'] : ['sqlite'];

export type Settings = Readonly<Record<string, string>>;

/** A running service, and all that a test may know of it from outside. Its clock needs a shared process, or `clockedProcess`. */
export interface Service {
  readonly url: string;
  readonly opsUrl: string;
  /** The settings it runs with; a second process with the same ones shares its database. */
  readonly settings: Settings;
  /** Only where the settings include `ownProcess` or `clockedProcess`. */
  readonly process: ChildProcess;
  /** The parsed lines of its standard output so far. */
  logLines(): Record<string, unknown>[];
  metrics(): Promise<string>;
  /** Stops it as SIGTERM does, and checks that it ended well. */
  stop(): Promise<void>;
  /** Time passes: whatever falls due on the way runs. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the wall clock; no time passes. */
  stepWallClock(milliseconds: number): Promise<void>;
  /** The wall clock stands still, while time passes; or it goes right again. */
  holdWallClock(isHeld: boolean): Promise<void>;
  /** No time passes but by `advance`, however slow the machine is; the wall clock goes on. Or it passes again. */
  holdTime(isHeld: boolean): Promise<void>;
  /** All texts that its heap holds, garbage left out; of each the first 1,024 characters. Needs `clockedProcess`. */
  heapTexts(): Promise<string>;
}

interface StartOptions {
  /** How far ahead its clock is when it starts: a restart after time was moved. */
  readonly aheadMs?: number;
  readonly release?: Release | undefined;
}

/**
 * For tests that kill, signal or measure the process, or read its standard output: `vestibule serve` in a process of its
 * own. It stands among the settings, so that every helper hands it on. All other services share a process.
 */
export const ownProcess: Settings = { TEST_PROCESS: 'own' };

export const clockedProcess: Settings = { TEST_PROCESS: 'clocked' };

export const me = '/api/consumer/v1/me';

export function fileOf({ DATABASE_URL }: Settings): string {
  return String(DATABASE_URL).slice('sqlite:'.length);
}

/** Settings for a service of its own on a new database, without collections. `overrides` are the settings under test. */
export async function newSettings(engine: DatabaseEngine, overrides: Settings): Promise<Settings> {
  const { runDirectory, audience } = surroundings();
  if (overrides.WEB === 'on') await part('frontend');
  const directory = `${runDirectory}/services/${randomUUID()}`;
  const noCollections = `${runDirectory}/no-collections`;
  for (const folder of [directory, noCollections]) mkdirSync(folder, { recursive: true });
  return {
    DATABASE_URL: engine === 'sqlite' ? `sqlite:${directory}/vestibule.db` : await createDatabase(),
    ...(engine === 'sqlite' ? {} : { MASTER_SECRET: newMasterSecret() }),
    BASE_URL: 'http://127.0.0.1/vestibule',
    PORT: '0',
    OPS_PORT: '0',
    API_AUDIENCE: audience,
    // A key for RS256, the default of the service, takes long to make. Tests of the service's own tokens ask for it.
    TOKEN_SIGNING_ALG: 'ES256',
    LOG_LEVEL: 'trace',
    TEST_DIRECTORY: directory,
    // Without it the examples of the project would be read at every start.
    COLLECTIONS_DIR: noCollections,
    ...overrides,
  };
}

export async function startService(settings: Settings, options: StartOptions = {}): Promise<Service> {
  const logFile = newLogFile(settings);
  if (settings.TEST_PROCESS === 'clocked') return startClockedProcess(settings, logFile, options);
  const needsProcess =
    settings.TEST_PROCESS === 'own' ||
    settings.TEST_SERVE_OPTIONS !== undefined ||
    Object.keys(settings).some((name) => name.startsWith('NODE_'));
  return needsProcess ? startThrough([], settings) : startHosted(settings, logFile, options);
}

function newLogFile({ TEST_DIRECTORY }: Settings): string {
  return `${TEST_DIRECTORY}/${randomUUID()}.log`;
}

let host: ServiceHost | null = null;

async function startHosted(
  settings: Settings,
  logFile: string,
  { aheadMs = 0, release }: StartOptions,
): Promise<Service> {
  if (host === null || host.hasEnded) host = new ServiceHost(await pathOf('host-main'));
  const current = host;
  const outputBefore = current.output;
  const { id, address, opsAddress } = await current.ask({ start: settings, logFile, aheadMs, release });
  const change = async (clock: ClockChange) => {
    await current.ask({ service: id, clock });
  };
  const metrics = async () => (await send(`${opsAddress}/metrics`)).text;
  let isStopped = false;
  return {
    url: String(address),
    opsUrl: String(opsAddress),
    settings,
    get process(): ChildProcess {
      throw new Error('This service shares its process. Add ...ownProcess to its settings.');
    },
    metrics,
    logLines: () => parseLines(readFileSync(logFile, 'utf8')),
    advance: (advanceMs) => change({ advanceMs }),
    stepWallClock: (stepWallClockMs) => change({ stepWallClockMs }),
    holdWallClock: (holdWallClock) => change({ holdWallClock }),
    holdTime: (holdTime) => change({ holdTime }),
    heapTexts: () => assert.fail('This service shares its heap. Add ...ownProcess to its settings.'),
    async stop() {
      if (isStopped) return;
      isStopped = true;
      writeFileSync(`${logFile}.metrics`, await metrics());
      await current.ask({ service: id, stop: true });
      assert.equal(current.output, outputBefore, 'a service that runs well writes nothing to standard error');
    },
  };
}

async function startClockedProcess(
  settings: Settings,
  logFile: string,
  { aheadMs = 0 }: StartOptions,
): Promise<Service> {
  const environment = { ...settings, TEST_CLOCK_AHEAD_MS: String(aheadMs) };
  const spawned = spawnNode(await pathOf('clocked-main'), environment, [], logFile, true);
  const service = await running(settings, logFile, spawned);
  const move = async (message: ClockMessage) => {
    const moved = once(spawned.child, 'message');
    spawned.child.send(message);
    await moved;
  };
  return {
    ...service,
    advance: (advanceMs) => move({ advanceMs }),
    stepWallClock: (stepWallClockMs) => move({ stepWallClockMs }),
    holdWallClock: (holdWallClock) => move({ holdWallClock }),
    holdTime: (holdTime) => move({ holdTime }),
    async heapTexts() {
      const heapFile = `${settings.TEST_DIRECTORY}/${randomUUID()}.heapsnapshot`;
      await move({ heapFile });
      const snapshot = readFileSync(heapFile, 'utf8');
      rmSync(heapFile);
      return snapshot.slice(snapshot.lastIndexOf('"strings":['));
    },
  };
}

/** Starts `vestibule serve` in a process of its own, by a command that becomes it, such as one that limits a resource. */
export async function startThrough(through: readonly string[], settings: Settings): Promise<Service> {
  const logFile = newLogFile(settings);
  const { TEST_SERVE_OPTIONS: options } = settings;
  const serve = ['serve', ...(options === undefined ? [] : options.split(' '))];
  const program = await pathOf('vestibule');
  return running(settings, logFile, spawnNode(program, settings, serve, logFile, false, through));
}

async function running(
  settings: Settings,
  logFile: string,
  { child, output }: ReturnType<typeof spawnNode>,
): Promise<Service> {
  const started = await listening(child, output);
  const url = String(started.address);
  const opsUrl = String(started.ops_address);
  const metrics = async () => (await send(`${opsUrl}/metrics`)).text;
  const noClock = () => assert.fail('This process runs with the real time. Start it with clockedProcess.');
  return {
    url,
    opsUrl,
    settings,
    process: child,
    advance: noClock,
    stepWallClock: noClock,
    holdWallClock: noClock,
    holdTime: noClock,
    heapTexts: noClock,
    metrics,
    logLines: () => parseLines(readFileSync(logFile, 'utf8')),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      writeFileSync(`${logFile}.metrics`, await metrics());
      child.kill('SIGTERM');
      const { code, stderr } = await output;
      assert.equal(stderr, '', 'a service that runs well writes nothing to standard error');
      assert.equal(code, 0, 'a service that is told to stop exits with 0');
    },
  };
}

/** Runs a command of the command line to its end. What it printed is kept for test/after. */
export async function runVestibule(settings: Settings, ...parameters: string[]): Promise<Outcome> {
  const outputFile = `${settings.TEST_DIRECTORY}/${randomUUID()}.out`;
  const message = { settings, parameters };
  if (!canShareProcess(message))
    return spawnNode(await pathOf('vestibule'), settings, parameters, outputFile, false).output;
  const outcome = await runInSharedProcess(message);
  writeFileSync(outputFile, outcome.stdout);
  if (outcome.stderr !== '') writeFileSync(`${outputFile}.stderr`, outcome.stderr);
  return outcome;
}

/** Adds a client through the command line, as an operator would; its secret. */
export async function addClient(
  settings: Settings,
  id: string,
  scopes: readonly string[] = [],
): Promise<string> {
  const scoped = scopes.flatMap((scope) => ['--scope', scope]);
  const outcome = await runVestibule(settings, 'client', 'add', id, ...scoped, '--json');
  return JSON.parse(succeeded(outcome)).client_secret;
}

async function pathOf(program: 'vestibule' | 'clocked-main' | 'host-main'): Promise<string> {
  const isOurs = program === 'vestibule';
  if (surroundings().hasProgram !== true)
    return resolvePath(isOurs ? 'bin/vestibule.js' : `test/support/services/${program}.ts`);
  const { folder } = await part('program');
  return isOurs ? `${folder}/bin/vestibule.js` : `${folder}/lib/${program}.js`;
}

function spawnNode(
  program: string,
  settings: Settings,
  parameters: readonly string[],
  outputFile: string,
  hasChannel: boolean,
  through: readonly string[] = [],
) {
  const [command = '', ...rest] = [...through, process.execPath, program, ...parameters];
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    stdio: ['pipe', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
  }) as ChildProcessWithoutNullStreams;
  const kept = createWriteStream(outputFile);
  child.stdout.pipe(kept);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    writeFileSync(`${outputFile}.stderr`, stderr);
  });
  const output = new Promise<Outcome>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, output };
}

/** Resolves with the "listening" line; rejects with the output if the process ends first. */
function listening(child: ChildProcess, output: Promise<Outcome>): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk;
      const line = parseLines(text).find(({ msg }) => msg === 'listening');
      if (line === undefined) return;
      child.stdout?.off('data', read);
      resolve(line);
    };
    child.stdout?.on('data', read);
    output.then(({ stderr }) => reject(new Error(`The service ended before it listened: ${stderr}`)));
  });
}

function parseLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}
