import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../base/errors.ts';
import { publishFile } from '../../base/files.ts';
import { createProcessName } from '../../base/random.ts';

/** A private temporary file beside its final name. An interrupted command leaves nothing; a kill -9 leaves the draft. */
export class Draft {
  readonly path: string;
  readonly #file: string;
  readonly #mayReplace: boolean;
  readonly #interrupt = () => {
    this[Symbol.dispose]();
    process.exit(130);
  };

  constructor(file: string, mayReplace: boolean) {
    this.#file = file;
    this.#mayReplace = mayReplace;
    // Not the process id, which repeats in a container: a killed process leaves its draft.
    this.path = `${file}.${createProcessName()}.part`;
    this.#attempt(() => {
      this.#checkPlace();
      closeSync(openSync(this.path, 'wx', 0o600));
    });
    for (const signal of signals) process.on(signal, this.#interrupt);
  }

  /** Reports a full disk for this file, not for the one that is read. */
  async fill<T>(work: (path: string) => Promise<T>): Promise<T> {
    try {
      return await work(this.path);
    } catch (error) {
      if (!isFull(error)) throw error;
      throw new OperatorError(
        `"${this.#file}" cannot be written: the disk is full. Name a file on another disk.`,
      );
    }
  }

  publish(): void {
    this.#attempt(() => {
      sync(this.path);
      if (this.#mayReplace) renameSync(this.path, this.#file);
      else publishFile(this.path, this.#file);
      sync(dirname(this.#file));
    });
  }

  [Symbol.dispose](): void {
    for (const signal of signals) process.off(signal, this.#interrupt);
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${this.path}${end}`, { force: true });
  }

  /** Replacing a device such as /dev/null would remove it. */
  #checkPlace(): void {
    const found = lstatSync(this.#file, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!this.#mayReplace) throw isThere(this.#file);
    if (!found.isFile() && !found.isSymbolicLink())
      throw new OperatorError(`"${this.#file}" exists and is not a file. Name another file.`);
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const { code } = error as { code?: unknown };
      if (code === 'EEXIST' && existsSync(this.#file)) throw isThere(this.#file);
      throw new OperatorError(`"${this.#file}" cannot be written (${code ?? error}). Name another file.`);
    }
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The operating system reports ENOSPC; SQLite reports it by the last byte of its code. */
function isFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ENOSPC' || (typeof errcode === 'number' && (errcode & 0xff) === sqliteFull);
}

const sqliteFull = 13;

function isThere(file: string): OperatorError {
  return new OperatorError(`"${file}" exists already. Name another file, or use --force to replace it.`);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** True if two names lead to one place, also if nothing exists there yet. */
export function isSamePlace(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(resolve(path));
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}
