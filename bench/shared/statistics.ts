/** The median of the rounds, and how far to trust it: from the lowest to the highest, as a part of the median. */
export interface Middle {
  readonly value: number;
  readonly spread: number;
}

/** A median for each figure of a sample. */
export type Middles<Sample> = { readonly [Name in keyof Sample]: Middle };

export function middle(values: readonly number[]): Middle {
  const value = median(values);
  const spread = value === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / Math.abs(value);
  return { value: rounded(value), spread: rounded(spread) };
}

export function middles<Sample extends object>(samples: readonly Sample[]): Middles<Sample> {
  const names = Object.keys(samples[0] ?? {}) as (keyof Sample)[];
  const entries = names.map((name) => [name, middle(samples.map((sample) => Number(sample[name])))]);
  return Object.fromEntries(entries);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}

/** Three digits that count; more would be noise. */
export function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
