import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../../base/errors.ts';
import { write } from '../output.ts';

const everyMs = 500;

interface Following {
  read(): unknown;
  /** Uses what is in the files now, and says so. Runs to its end before they are read again. */
  takeUp(): Promise<string>;
  /** What happens when they have mistakes. */
  readonly otherwise: string;
}

/** Takes up files when they change, or prints what is wrong. Polls: `fs.watch` reports nothing on some file systems. */
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

/** `takeUp` reports files that cannot be read; here they only count as different. */
function contentOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return error.message;
  }
}

/** False where there is nothing more to wait for. */
async function pause(signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(everyMs, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}
