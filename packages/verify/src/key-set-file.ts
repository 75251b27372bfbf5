import { constants, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makePrivateFolder } from '../../../src/base/files.ts';
import type { KeySetStore } from './kept-keys.ts';

const maxBytes = 1024 * 1024;

/** Another user could have written the file. The log has the code and no message. */
class KeySetFileError extends Error {
  override readonly name = 'KeySetFileError';
  readonly code: 'not_a_file' | 'of_another_user' | 'writable_by_others' | 'too_large';

  constructor(code: KeySetFileError['code'], path: string) {
    super(`Expected a file that belongs to this user and that no other user can write; ${path}: ${code}.`);
    this.code = code;
  }
}

/** Keeps the last good key set in a file for its owner only. Several processes may share it. */
export function keySetFile(path: string): KeySetStore {
  const file = resolve(path);
  return {
    async read() {
      // Reading a pipe would wait for a writer.
      const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(
        (error: { code?: unknown }) => {
          if (error.code === 'ENOENT') return null;
          throw error;
        },
      );
      if (handle === null) return null;
      try {
        const code = faultOf(await handle.stat());
        if (code !== null) throw new KeySetFileError(code, file);
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    },
    // Renamed once it is complete, so that no reader sees half of it.
    async write(text) {
      makePrivateFolder(dirname(file));
      const unfinished = `${file}.${process.pid}.${++written}`;
      try {
        await rm(unfinished, { force: true });
        const handle = await open(unfinished, 'wx', 0o600);
        try {
          await handle.writeFile(text);
        } finally {
          await handle.close();
        }
        await rename(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
  };
}

let written = 0;

interface Stat {
  readonly uid: number;
  readonly mode: number;
  readonly size: number;
  isFile(): boolean;
}

function faultOf(stat: Stat): KeySetFileError['code'] | null {
  if (!stat.isFile()) return 'not_a_file';
  if (stat.size > maxBytes) return 'too_large';
  // Windows has neither owners nor modes of this kind.
  if (process.geteuid === undefined) return null;
  if (stat.uid !== process.geteuid()) return 'of_another_user';
  return (stat.mode & 0o022) === 0 ? null : 'writable_by_others';
}
