import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import type { Outcome } from './outcome.ts';

/** A command in a shell, with its child processes in a process group of its own. */
export class ShellCommand {
  readonly ended: Promise<Outcome>;
  readonly #said = { stdout: '', stderr: '' };
  readonly #child: ChildProcess;

  /** `env` has all the variables of the command. */
  constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
    const child = spawn('sh', ['-c', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk) => {
        this.#said[name] += chunk;
      });
    this.ended = new Promise((resolve) => child.on('close', (code) => resolve({ code, ...this.#said })));
    this.#child = child;
  }

  get stdout(): string {
    return this.#said.stdout;
  }

  /** True as soon as it says so on standard output; false when it ends before. */
  says(words: RegExp): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => words.test(this.stdout) && resolve(true);
      this.#child.stdout?.on('data', look);
      look();
      void this.ended.then(() => resolve(false));
    });
  }

  /** Sends SIGINT, as Ctrl-C does, and returns the outcome. */
  stop(): Promise<Outcome> {
    const { pid, exitCode, signalCode } = this.#child;
    assert.ok(pid !== undefined);
    if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGINT');
    return this.ended;
  }
}

/** The folders of programs without those that npm puts before all others for the test itself. */
export function foldersOfPrograms(): readonly string[] {
  return (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
}
