import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../../base/errors.ts';
import { readCollectionFiles } from '../../config/files.ts';

const everyMs = 500;

interface Following {
  /** COLLECTIONS_DIR, as it is set. */
  readonly folder: string | null;
  /** Runs to its end before the files are looked at again. */
  onChange(): Promise<void>;
}

/**
 * Calls `onChange` when the declarations are not what they were. The few small files are read twice a second: what tells of
 * changes in a folder (`fs.watch`) says nothing on some file systems, and nothing of a folder that is made later.
 * Gives what ends it.
 */
export function followFiles({ folder, onChange }: Following): () => Promise<void> {
  const ending = new AbortController();
  const follow = async () => {
    let last = contentOf(folder);
    while (await pause(ending.signal)) {
      const now = contentOf(folder);
      if (isDeepStrictEqual(now, last)) continue;
      last = now;
      await onChange();
    }
  };
  const followed = follow();
  return () => {
    ending.abort();
    return followed;
  };
}

/** What cannot be read is said by whoever reads it next; here it only counts as different. */
function contentOf(folder: string | null): unknown {
  try {
    return readCollectionFiles(folder);
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
