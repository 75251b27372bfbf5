import { mean, sum } from '../shared/statistics.ts';

/** Above this, two sets of times differ; the usual threshold of timing-leak tests. */
export const tellsApart = 4.5;

/** Welch's t: how far two means are apart, in terms of how well they are known. */
export function welch(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [momentsOf(one), momentsOf(other)];
  return (a.mean - b.mean) / Math.sqrt(a.variance / one.length + b.variance / other.length);
}

function momentsOf(values: readonly number[]) {
  const middle = mean(values);
  const squares = sum(values.map((value) => (value - middle) ** 2));
  return { mean: middle, variance: squares / (values.length - 1) };
}
