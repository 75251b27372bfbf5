import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../../base/errors.ts';
import { write } from '../output.ts';

const everyMs = 500;

/**
 * Applies files when they change and prints the text of `takeUp`, or else their mistakes and `otherwise`. Polls: `fs.watch`
 * reports nothing on some file systems.
 */
export function followFiles(
  read: () => unknown,
  takeUp: () => Promise<string>,
  otherwise: string,
): () => Promise<void> {
  const ending = new AbortController();
  const pause = () => sleep(everyMs, true, { signal: ending.signal, ref: false }).catch(() => false);
  const follow = async () => {
    let last = contentOf(read);
    while (await pause()) {
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
