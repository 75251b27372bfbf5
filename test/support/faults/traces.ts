import { hash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { canaryWords, encodings } from './canaries.ts';

export type Needle = { readonly name: string; readonly bytes: Buffer };
export type Trace = { readonly file: string; readonly name: string };

/** Every canary word in every form in which it could have been kept. */
export function canaryNeedles(): Needle[] {
  return canaryWords.flatMap((word) =>
    [...encodings(word)].map(([form, bytes]) => ({ name: `"${word}" (${form})`, bytes })),
  );
}

/** How a JWT begins, whatever the order of its header; three letters alone turn up in any random text. */
export function tokenNeedles(): Needle[] {
  return ['{"alg":', '{"typ":', '{"kid":', '{"cty":', '{"x5t":'].map((start) => {
    const whole = Buffer.from(start).toString('base64url');
    const bytes = Buffer.from(whole.slice(0, Math.floor((start.length * 8) / 6)));
    return { name: `a JWT (${start})`, bytes };
  });
}

/**
 * All files below a folder, but not the installed packages that one in it may be linked to. A file that goes away
 * meanwhile is no loss: it is not kept.
 */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.slice(directory.length).includes('/node_modules'))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

/** Where the needles are found: at most one trace for each needle and file. One pass, whatever their number. */
export function findTraces(
  files: readonly string[],
  needles: readonly Needle[],
  chunkBytes = 2 ** 22,
): Trace[] {
  const search = createSearch(needles, chunkBytes);
  return files.flatMap((file) => [...search(file)].map((name) => ({ file, name })));
}

function createSearch(needles: readonly Needle[], chunkBytes: number) {
  const byStart = Map.groupBy(needles, ({ bytes }) => bytes.readUInt32BE(0));
  const shortest = Math.min(...needles.map(({ bytes }) => bytes.length));
  // How far the search may move on when it sees these two bytes where the shortest needle would end: as far as no needle
  // can begin in between. Most places are passed over without a look (Wu and Manber's search for many needles).
  const steps = new Uint8Array(65_536).fill(shortest - 1);
  for (const { bytes } of needles) {
    for (let at = 0; at + 2 <= shortest; at += 1) {
      const two = bytes.readUInt16BE(at);
      steps[two] = Math.min(steps[two] as number, shortest - 2 - at);
    }
  }
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  const buffer = Buffer.alloc(chunkBytes + overlap);
  // Every database of PostgreSQL begins as a copy of the same files, so most of what is there is there many times.
  const searched = new Map<string, ReadonlySet<string>>();

  const searchBuffer = (bytes: Buffer, found: Set<string>) => {
    let at = 0;
    while (at + shortest <= bytes.length) {
      const last = at + shortest - 2;
      const step = steps[((bytes[last] as number) << 8) | (bytes[last + 1] as number)] as number;
      if (step > 0) {
        at += step;
        continue;
      }
      for (const needle of byStart.get(bytes.readUInt32BE(at)) ?? []) {
        const end = at + needle.bytes.length;
        if (end <= bytes.length && needle.bytes.equals(bytes.subarray(at, end))) found.add(needle.name);
      }
      at += 1;
    }
  };

  const searchOnce = (bytes: Buffer): ReadonlySet<string> => {
    const digest = hash('sha256', bytes, 'base64');
    const known = searched.get(digest);
    if (known !== undefined) return known;
    const found = new Set<string>();
    searchBuffer(bytes, found);
    searched.set(digest, found);
    return found;
  };

  return (file: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const descriptor = openIfThere(file);
    if (descriptor === null) return found;
    let kept = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, kept, chunkBytes, null);
      if (read === 0) break;
      if (kept === 0 && read < chunkBytes) {
        closeSync(descriptor);
        return searchOnce(buffer.subarray(0, read));
      }
      searchBuffer(buffer.subarray(0, kept + read), found);
      // What could be the beginning of a needle goes in front of the next chunk.
      const end = kept + read;
      kept = Math.min(overlap, end);
      buffer.copyWithin(0, end - kept, end);
    }
    closeSync(descriptor);
    return found;
  };
}

function openIfThere(file: string): number | null {
  try {
    return statSync(file).size === 0 ? null : openSync(file, 'r');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}
