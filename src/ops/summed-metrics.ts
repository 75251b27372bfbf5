import type { Across, Family, Sample } from './exposition.ts';

const combine: Readonly<Record<Across, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  // What is not a number in one process is not one in all: the worst is told.
  most: Math.max,
  least: Math.min,
};

/** The metrics of several processes as if they were one: each value by its name and labels, in the order of the first who has it. */
export function together(processes: readonly (readonly Family[])[]): readonly Family[] {
  const byName = Map.groupBy(processes.flat(), ({ name }) => name);
  return [...byName.values()].map(([first, ...others]) => {
    const family = first as Family;
    const combined = combine[family.across ?? (family.type === 'gauge' ? 'most' : 'sum')];
    const samples = new Map<string, Sample>();
    for (const sample of [family, ...others].flatMap((one) => one.samples)) {
      const { value, ...line } = sample;
      const key = JSON.stringify(line);
      const known = samples.get(key);
      samples.set(key, known ? { ...line, value: combined(known.value, value) } : sample);
    }
    return { ...family, samples: [...samples.values()] };
  });
}

/** What has been counted stays counted when the process that counted it is gone; what is the case now goes with it. */
export function countsOf(families: readonly Family[]): readonly Family[] {
  return families.filter(({ type }) => type !== 'gauge');
}
