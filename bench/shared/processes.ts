import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { givenVariable } from './child.ts';

/** The measured server has one core to itself, and the load another; or all have all of them. */
export const serverCore = 0;
export const loadCore = 1;
export const allCores = null;
export type Cores = number | typeof allCores;

export interface Program {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly pid: number;
  /** Null while it runs, else the last of what it said. */
  lastWords(): string | null;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();

/** Ends whatever is still running, at once: the last thing that happens, whatever went wrong before. */
export function endAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** A program of the benchmark by its absolute path, and what it is told: see `child.ts`. */
export function script(file: string, given: object, ...parameters: string[]): Program {
  return {
    command: process.execPath,
    parameters: [file, ...parameters],
    environment: { [givenVariable]: JSON.stringify(given) },
  };
}

/** Starts a server. What it prints goes to a file, since a pipe would make this process work, too. */
export function startServer(program: Program, outputFile: string, cores: Cores = serverCore): RunningServer {
  const output = openSync(outputFile, 'a');
  const child = spawn(...commandLine(program, cores), {
    env: { ...inherited(), ...program.environment },
    stdio: ['ignore', output, output],
  });
  const ended = track(child);
  return {
    pid: child.pid ?? 0,
    lastWords() {
      if (child.exitCode === null && child.signalCode === null) return null;
      return readFileSync(outputFile, 'utf8').slice(-2_000);
    },
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs a program to the end, and answers with what it printed as its result: see `child.ts`. */
export async function runForResult<Result>(
  program: Program,
  limitSeconds: number,
  cores: Cores,
): Promise<Result> {
  const printed = await run(program, limitSeconds, cores);
  const line = /^RESULT (.*)$/m.exec(printed)?.[1];
  if (line === undefined) throw new Error(`There is no result in: ${printed.slice(-2_000)}`);
  return JSON.parse(line) as Result;
}

/** Runs a program to the end, and answers with what it printed. */
export async function run(program: Program, limitSeconds: number, cores: Cores = allCores): Promise<string> {
  const child = spawn(...commandLine(program, cores), {
    env: { ...inherited(), ...program.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const code = await track(child);
  if (code !== 0) {
    const what = [program.command, ...program.parameters].join(' ');
    throw new Error(`This ended with ${code ?? 'a signal'}: ${what}\n${printed.slice(-2_000)}`);
  }
  return printed;
}

/** Where a program is, or null. Servers like HAProxy live where an ordinary PATH does not look. */
export function findProgram(name: string): string | null {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/usr/local/bin',
  ];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** taskset becomes the program, so that the id of the one is the id of the other. */
function commandLine({ command, parameters }: Program, cores: Cores): [string, string[]] {
  if (cores === allCores) return [command, [...parameters]];
  return ['taskset', ['-c', String(cores), command, ...parameters]];
}

/** Nothing of the surroundings but the way to programs: a stray setting must not favour anybody. */
function inherited(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NODE_ENV: 'production' };
}

function track(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  children.add(child);
  child.on('error', reject);
  child.on('close', (code) => {
    children.delete(child);
    resolve(code);
  });
  return promise;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
