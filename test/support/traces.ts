import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { canaryWords, encodings } from './canaries.ts';

/** Bytes to look for, and what it means to find them. */
export interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Trace {
  readonly file: string;
  readonly name: string;
}

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
    return {
      name: `a JWT (${start})`,
      bytes: Buffer.from(whole.slice(0, Math.floor((start.length * 8) / 6))),
    };
  });
}

/** All files below a folder. One that goes away meanwhile is no loss: it is not kept. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

/** Where the needles are found: at most one trace for each needle and file. One pass, whatever their number. */
export function findTraces(
  files: readonly string[],
  needles: readonly Needle[],
  chunkBytes = 4 * 1024 * 1024,
): Trace[] {
  const search = createSearch(needles, chunkBytes);
  return files.flatMap((file) => [...search(file)].map((name) => ({ file, name })));
}

function createSearch(needles: readonly Needle[], chunkBytes: number) {
  const byStart = Map.groupBy(needles, ({ bytes }) => bytes.readUInt32BE(0));
  // Most places are passed over by one look at two bytes.
  const possible = new Uint8Array(65_536);
  for (const start of byStart.keys()) possible[start >>> 16] = 1;
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  const buffer = Buffer.alloc(chunkBytes + overlap);

  const searchBuffer = (bytes: Buffer, found: Set<string>) => {
    for (let at = 0; at + 4 <= bytes.length; at += 1) {
      const two = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
      if (possible[two] === 0) continue;
      for (const needle of byStart.get(bytes.readUInt32BE(at)) ?? []) {
        const end = at + needle.bytes.length;
        if (end <= bytes.length && needle.bytes.equals(bytes.subarray(at, end))) found.add(needle.name);
      }
    }
  };

  return (file: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const descriptor = openIfThere(file);
    if (descriptor === null) return found;
    let kept = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, kept, chunkBytes, null);
      if (read === 0) break;
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
