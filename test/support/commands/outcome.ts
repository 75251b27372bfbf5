import assert from 'node:assert/strict';
import { type ExecFileOptions, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { surroundings } from '../run/surroundings.ts';
import type { Settings } from '../services/service.ts';
import { canShareProcess, runInSharedProcess } from './commands.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command failed: exit code 1, one sentence on standard error, no other output. */
export function refused(outcome: Outcome, says: RegExp): void {
  exits(1, outcome);
  failed(outcome, says);
}

/** The same for a service, which may have logged lines before. */
export function failed({ code, stderr }: Outcome, says: RegExp): void {
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^vestibule: [^\n]+[^\s]\n$/, 'one line');
  assert.match(stderr, says);
  assert.doesNotMatch(stderr, /^\s+at |This is a bug/m, 'no stack trace');
}

/** The command printed only errors, with these words, and ended with this code. Returns the errors. */
export function exits(code: 1 | 2, outcome: Outcome, ...says: readonly RegExp[]): string {
  assert.deepEqual([outcome.code, outcome.stdout], [code, ''], outcome.stderr);
  for (const words of says) assert.match(outcome.stderr, words);
  assert.doesNotMatch(outcome.stderr, /^\s+at |This is a bug/m, 'no stack trace');
  return outcome.stderr;
}

export function succeeded({ code, stdout, stderr }: Outcome): string {
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return stdout;
}

/** A new folder for the outputs of commands and the files they are given. */
export function newDirectory(): string {
  const directory = `${surroundings().runDirectory}/commands/${randomUUID()}`;
  mkdirSync(directory, { recursive: true });
  return directory;
}

/**
 * A command that has to end by itself, such as a service that cannot start. Runs in `folder`, and what it printed is kept there; `through` is a command that runs it.
 */
export async function endOf(
  settings: Settings,
  parameters: readonly string[],
  folder = newDirectory(),
  through: readonly string[] = [],
) {
  const outcome =
    through.length === 0 && canShareProcess({ settings, parameters })
      ? await runInSharedProcess({ settings, parameters, folder })
      : await ownProcess(settings, parameters, folder, through);
  writeFileSync(`${folder}/${randomUUID()}.out`, outcome.stdout + outcome.stderr);
  return outcome;
}

function ownProcess(
  settings: Settings,
  parameters: readonly string[],
  cwd: string,
  through: readonly string[],
) {
  const [program = '', ...rest] = [...through, process.execPath, resolve('bin/vestibule.js'), ...parameters];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return runProgram(program, rest, { cwd, env: { PATH, NODE_COMPILE_CACHE, ...settings } });
}

/** Runs a program, with this on its standard input, to its end: should it stay, it is ended and its exit code is null. */
export function runProgram(
  program: string,
  parameters: readonly string[],
  { input = '', ...options }: ExecFileOptions & { readonly input?: string } = {},
): Promise<Outcome> {
  return new Promise((done) => {
    const limited = { timeout: 30_000, killSignal: 'SIGKILL', ...options } as const;
    const child = execFile(program, parameters, limited, (_error, stdout, stderr) =>
      done({ code: child.exitCode, stdout: String(stdout), stderr: String(stderr) }),
    );
    // A program that has ended already reads nothing.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
