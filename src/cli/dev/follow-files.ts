import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../../base/errors.ts';
import { write } from '../output.ts';

const everyMs = 500;

interface Following {
  read(): unknown;
  /** Applies the content of the files, and prints that. Completes before the files are read again. */
  takeUp(): Promise<string>;
  /** Called if the files have mistakes. */
  readonly otherwise: string;
}

/** Applies files when they change, or prints their mistakes. Polls: `fs.watch` reports nothing on some file systems. */
export function followFiles({ read, takeUp, otherwise }: Following): () => Promise<void> {
  const ending = new AbortController();
  const follow = async () => {
    let last = contentOf(read);
    while (await pause(ending.signal)) {
      const now = contentOf(read);
      if (isDeepStrictEqual(now, last)) continue;
      last = now;
      try {
        write(await takeUp());
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        write(`vestibule: ${error.message}\n${otherwise}\n`, process.stderr);
      }
    }
  };
  const followed = follow();
  return () => {
    ending.abort();
    return followed;
  };
}

/** `takeUp` reports unreadable files; here they only count as changed. */
function contentOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return error.message;
  }
}

/** False if there is nothing more to wait for. */
async function pause(signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(everyMs, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}
