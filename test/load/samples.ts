import type { Service } from '../support/services/service.ts';

/** What the service says of itself, as `/metrics` names it, and by how much a figure is divided. */
const columns = {
  resident: ['process_resident_memory_bytes', 2 ** 20],
  heap: ['nodejs_heap_size_used_bytes', 2 ** 20],
  committed: ['nodejs_heap_size_total_bytes', 2 ** 20],
  external: ['nodejs_external_memory_bytes', 2 ** 20],
  descriptors: ['process_open_fds', 1],
} as const;
type Column = keyof typeof columns;
const names = Object.keys(columns) as Column[];

export type Sample = Readonly<Record<'minute' | Column, number>>;

export async function lookAt(service: Service, minute: number): Promise<Sample> {
  const metrics = await service.metrics();
  const values = names.map((name) => {
    const [metric, unit] = columns[name];
    return [name, Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(metrics)?.[1]) / unit];
  });
  return { minute, ...Object.fromEntries(values) };
}

/** By how much each column grows in a minute, by the line that fits best. */
export function slopes(samples: readonly Sample[]): Readonly<Record<Column, number>> {
  const mean = (column: keyof Sample) =>
    samples.reduce((sum, sample) => sum + sample[column], 0) / samples.length;
  const middle = mean('minute');
  const spread = samples.reduce((sum, { minute }) => sum + (minute - middle) ** 2, 0);
  const slopeOf = (column: Column) => {
    const average = mean(column);
    const moved = samples.reduce((sum, one) => sum + (one.minute - middle) * (one[column] - average), 0);
    return spread === 0 ? 0 : moved / spread;
  };
  return Object.fromEntries(names.map((name) => [name, slopeOf(name)])) as Record<Column, number>;
}

export const headLine = lineOf('minute', names);

export function sampleLine(sample: Sample): string {
  return lineOf(
    sample.minute.toFixed(1),
    names.map((name) => sample[name].toFixed(1)),
  );
}

export function slopeLine(samples: readonly Sample[]): string {
  const grown = slopes(samples);
  return lineOf(
    'a minute',
    names.map((name) => grown[name].toFixed(2)),
  );
}

function lineOf(first: string, cells: readonly string[]): string {
  return [first, ...cells].map((text) => text.padStart(12)).join('');
}
