import { Buffer } from 'node:buffer';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { OperatorError, Refusal } from '../base/errors.ts';
import type { Erasure } from './port.ts';

/** Below the five seconds after which PostgreSQL aborts a transaction. */
const longestWriteMs = 2_000;

/**
 * The file of erasures, one line each, for restores: a backup does not contain later erasures. The file holds only digests.
 */
export class ErasureLog {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Creates the file, so that a missing file means a lost one. */
  create(): void {
    try {
      closeSync(openSync(this.file, 'a', 0o600));
    } catch (error) {
      throw new OperatorError(
        `The log of erasures "${this.file}" (ERASURE_LOG) cannot be written (${codeOf(error)}). Make its folder writable, or name another file.`,
      );
    }
  }

  /** Resolves once it is on disk. A disk that does not respond must not keep a transaction open. */
  async append(...erasures: readonly Erasure[]): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject({ code: `not within ${longestWriteMs} ms` }), longestWriteMs);
    try {
      await Promise.race([this.#write(erasures), late.promise]);
    } catch (error) {
      throw new Refusal('storage_unavailable', {
        detail: `the log of erasures cannot be written (${codeOf(error)})`,
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async #write(erasures: readonly Erasure[]): Promise<void> {
    const lines = erasures.map(({ id, digest, at }) => {
      return `${new Date(at).toISOString()} ${id} ${Buffer.from(digest).toString('base64url')}\n`;
    });
    const text = lines.join('');
    await using file = await open(this.file, 'a+', 0o600);
    const { size } = await file.stat();
    const last = Buffer.alloc(1, '\n');
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // Starts a new line after a truncated one.
    await file.appendFile(last.toString() === '\n' ? text : `\n${text}`);
    await file.sync();
  }

  /** Skips a truncated line: that erasure was never confirmed. */
  read(): { readonly erasures: readonly Erasure[]; readonly unreadable: number } {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      throw new OperatorError(
        `The log of erasures "${this.file}" cannot be read (${codeOf(error)}). Restore it, or name another list of the erased callers with --erasures.`,
      );
    }
    const lines = text.split('\n').filter((line) => line !== '');
    const erasures = lines.map(erasureOf).filter((erasure) => erasure !== null);
    return { erasures, unreadable: lines.length - erasures.length };
  }
}

const lineForm = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([0-9a-f-]{36}) ([\w-]{43})$/;

function erasureOf(line: string): Erasure | null {
  const [, at = '', id = '', digest = ''] = lineForm.exec(line) ?? [];
  return id === ''
    ? null
    : { id, digest: new Uint8Array(Buffer.from(digest, 'base64url')), at: Date.parse(at) };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? 'unknown reason');
}
