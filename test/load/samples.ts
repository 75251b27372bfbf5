import { readdirSync, readFileSync } from 'node:fs';
import type { Service } from '../support/services/service.ts';

const columns = ['resident', 'heap', 'committed', 'young', 'external', 'malloc', 'descriptors'] as const;
type Column = (typeof columns)[number];

/** One look at a process: megabytes, and how many descriptors it has. */
export type Sample = { readonly minute: number } & Readonly<Record<Column, number>>;

const megabytes = (bytes: number) => Math.round((bytes / 2 ** 20) * 10) / 10;

/**
 * What the system and V8 say of a process. Of all its threads together: `heap` is what V8 holds, `committed` what it has set
 * aside for that, of which `young` is for what is new. `malloc` is the heap of C, where the native parts of Node and SQLite are.
 */
export function lookAt({ process: { pid }, settings }: Service, minute: number): Sample {
  const memoryFolder = `${settings.TEST_DIRECTORY}/memory`;
  const threads = readdirSync(memoryFolder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(`${memoryFolder}/${name}`, 'utf8')));
  const sum = (name: string) => megabytes(threads.reduce((total, thread) => total + thread[name], 0));
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    minute,
    resident: megabytes(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024),
    heap: sum('heapUsed'),
    committed: sum('heapTotal'),
    young: sum('young'),
    external: sum('external'),
    malloc: megabytes(heapOfC(readFileSync(`/proc/${pid}/smaps`, 'utf8'))),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function heapOfC(maps: string): number {
  const at = maps.indexOf('[heap]');
  return at === -1 ? 0 : Number(/Rss:\s+(\d+) kB/.exec(maps.slice(at))?.[1]) * 1024;
}

/** By how much each column grows in a minute, by the line that fits best. */
export function slopes(samples: readonly Sample[]): Readonly<Record<Column, number>> {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minutes = samples.map(({ minute }) => minute);
  const middle = mean(minutes);
  const spread = minutes.reduce((sum, minute) => sum + (minute - middle) ** 2, 0);
  const slopeOf = (column: Column) => {
    const average = mean(samples.map((sample) => sample[column]));
    const moved = samples.reduce((sum, one) => sum + (one.minute - middle) * (one[column] - average), 0);
    return spread === 0 ? 0 : moved / spread;
  };
  return Object.fromEntries(columns.map((column) => [column, slopeOf(column)])) as Record<Column, number>;
}

export function headLine(): string {
  return ['minute', ...columns].map((name) => name.padStart(12)).join('');
}

export function lineOf(sample: Sample): string {
  return [sample.minute.toFixed(1), ...columns.map((column) => String(sample[column]))]
    .map((text) => text.padStart(12))
    .join('');
}

export function slopeLine(grown: Readonly<Record<Column, number>>): string {
  return ['a minute', ...columns.map((column) => grown[column].toFixed(2))]
    .map((text) => text.padStart(12))
    .join('');
}
