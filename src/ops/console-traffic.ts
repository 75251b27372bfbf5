import { type History, stepSeconds } from './history.ts';

export const hourSeconds = 3_600;
const recentSeconds = 300;
/** Refusals that are shown as lines: more colours and dashes would be hard to tell apart. */
const maxLines = 4;
const statusClasses = ['2', '3', '4', '5'];

/** Requests, refusals, latency, event loop and memory: current rates, lines over the last hour, and counts. */
export function trafficData(history: History) {
  const statuses = history.lines('status');
  const statusRates = history.rates('status');
  const refusals = history.lines('refusal');
  const refusalRates = history.rates('refusal');
  const buckets = history.lines('le');
  const bucketRates = history.rates('le');
  const levels = history.lines('level');
  const byRefusal = countsOf(history, 'refusal');
  const ofClass = <Value>(values: ReadonlyMap<string, Value>, first: string) =>
    [...values].filter(([status]) => status.startsWith(first)).map(([, value]) => value);
  return {
    requests: statusClasses.map((first) => ({
      name: `${first}xx`,
      now: ofClass(statusRates, first).reduce((sum, rate) => sum + rate, 0),
      line: perSecond(ofClass(statuses, first)),
    })),
    latency: [0.5, 0.99].map((share) => ({
      name: `p${share * 100}`,
      now: quantile(share, inOrder(bucketRates)),
      line: quantileLine(share, buckets) ?? [],
    })),
    refusals: byRefusal.slice(0, maxLines).map(({ name }) => ({
      name,
      now: refusalRates.get(name) ?? 0,
      line: perSecond([refusals.get(name) ?? []]),
    })),
    loop: levels.get('loop') ?? [],
    memory: levels.get('memory') ?? [],
    by_status: countsOf(history, 'status'),
    by_refusal: byRefusal,
  };
}

/** Labels that occurred in the last hour, the most frequent first. */
function countsOf(history: History, kind: string) {
  const recent = history.increases(kind, recentSeconds);
  return [...history.increases(kind, hourSeconds)]
    .filter(([, hour]) => hour > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, hour]) => ({ name, hour, recent: recent.get(name) ?? 0 }));
}

/** The sum of several lines of counts. */
function perSecond(lines: readonly (readonly number[])[]): readonly number[] {
  const [first = []] = lines;
  return first.map((_, at) => lines.reduce((sum, line) => sum + (line[at] as number), 0) / stepSeconds);
}

function quantileLine(share: number, buckets: ReadonlyMap<string, readonly number[]>) {
  const ordered = inOrder(buckets);
  return ordered[0]?.[1].map((_, at) =>
    quantile(
      share,
      ordered.map(([bound, line]) => [bound, line[at] as number]),
    ),
  );
}

function inOrder<Value>(buckets: ReadonlyMap<string, Value>) {
  return Array.from(buckets, ([bound, value]) => {
    return [bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), value] as const;
  }).toSorted(([one], [other]) => one - other);
}

/** The quantile that Prometheus estimates from the buckets. Null without requests. */
function quantile(share: number, buckets: readonly (readonly [number, number])[]): number | null {
  const wanted = share * (buckets.at(-1)?.[1] ?? 0);
  if (wanted === 0) return null;
  let [lower, below] = [0, 0];
  for (const [upper, count] of buckets) {
    if (upper === Number.POSITIVE_INFINITY) break;
    if (count >= wanted) return lower + ((upper - lower) * (wanted - below)) / (count - below);
    [lower, below] = [upper, count];
  }
  return lower;
}
