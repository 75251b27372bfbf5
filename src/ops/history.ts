import { consumerPrefix } from '../base/addresses.ts';
import type { Clock } from '../base/clock.ts';
import type { Key } from './alert-conditions.ts';
import { alertRules } from './alert-table.ts';
import type { Family, Sample } from './exposition.ts';
import type { MetricName } from './metric-catalogue.ts';

export const stepSeconds = 10;
/** One hour. */
export const historySteps = 360;
/** Each takes 1.4 KB, so all together less than 5 MB. There are some 150; a route adds two, a collection one. */
const maxLines = 3_000;

type Labels = Sample['labels'];
/** The counters of the charts. */
const charted: { readonly [name in MetricName]?: (labels: Labels, suffix: string) => readonly Key[] } = {
  vestibule_http_requests_total: ({ route, method, status }) => {
    const [name = ''] = String(route)
      .slice(consumerPrefix.length + 1)
      .split('/', 1);
    const isWrite =
      method !== 'GET' && Number(status) < 300 && String(route).startsWith(`${consumerPrefix}/`);
    return isWrite ? [`status ${status}`, `writes ${name}`] : [`status ${status}`];
  },
  vestibule_refusals_total: ({ code }) => [`refusal ${code}`],
  vestibule_sign_outs_total: ({ by }) => [`sign_out ${by}`],
  vestibule_write_batch_size: (_, suffix) => (suffix === '_sum' ? ['written all'] : []),
  process_cpu_seconds_total: () => ['cpu all'],
  // Routes come last: with thousands of routes there is no room for other series.
  vestibule_http_request_duration_seconds({ route, le }, suffix) {
    // Excludes streams, which end after hours.
    if (String(route).endsWith('/events')) return [];
    if (suffix === '_count') return [`answered ${route}`];
    if (suffix !== '_bucket') return [];
    return le === 1 ? [`le ${le}`, `within_1s ${route}`] : [`le ${le}`];
  },
};

/** The counters that are stored by step: those of the alerts come before the routes. */
const counters = [
  ...alertRules.flatMap(({ counter }) => counter ?? []),
  ...Object.entries(charted).map(([metric, keysOf]) => ({ metric: metric as MetricName, keysOf })),
];

/** Gauges of which each step stores the maximum. */
const levels: { readonly [name in MetricName]?: Key } = {
  nodejs_eventloop_lag_p99_seconds: 'level loop',
  process_resident_memory_bytes: 'level memory',
};

/** The last hour in steps of 10 seconds, in memory. The current step counts as the newest. */
export class History {
  readonly #clock: Clock;
  readonly #lines = new Map<Key, Float32Array>();
  /** Totals at the end of the last step, and at the last reading. */
  #before = new Map<Key, number>();
  #now = new Map<Key, number>();
  readonly #levels = new Map<Key, number>();
  #families: readonly Family[] = [];
  #steps = 0;
  #stepBeganAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stepBeganAt = clock.monotonic();
  }

  read(families: readonly Family[]): void {
    this.#families = families;
    this.#now = new Map();
    for (const { metric, keysOf } of counters)
      for (const { labels, suffix = '', value } of this.samples(metric))
        for (const key of keysOf(labels, suffix)) this.#now.set(key, (this.#now.get(key) ?? 0) + value);
    for (const [name, level] of Object.entries(levels))
      for (const { value } of this.samples(name as MetricName))
        this.#levels.set(level, Math.max(this.#levels.get(level) ?? 0, value));
    // Counting begins at the first reading.
    if (this.#before.size === 0) this.#before = this.#now;
  }

  /** Ends the step with the last reading. */
  step(): void {
    const at = this.#steps % historySteps;
    for (const line of this.#lines.values()) line[at] = 0;
    for (const key of this.#now.keys()) this.#put(key, at, this.#sinceStep(key));
    for (const [key, value] of this.#levels) this.#put(key, at, value);
    this.#levels.clear();
    this.#before = this.#now;
    this.#steps += 1;
    this.#stepBeganAt = this.#clock.monotonic();
  }

  /** The samples of a metric at the last reading. */
  samples(name: MetricName): readonly Sample[] {
    return this.#families.find((family) => family.name === name)?.samples ?? [];
  }

  /** The increase of the counts of a kind in that time, by label. */
  increases(kind: string, seconds: number): ReadonlyMap<string, number> {
    const steps = Math.min(Math.round(seconds / stepSeconds), this.#steps, historySteps);
    const found = new Map<string, number>();
    for (const key of this.#now.keys()) {
      if (!key.startsWith(`${kind} `)) continue;
      const line = this.#lines.get(key);
      let sum = this.#sinceStep(key);
      for (let back = 1; line !== undefined && back <= steps; back += 1) sum += this.#at(line, back);
      found.set(key.slice(kind.length + 1), sum);
    }
    return found;
  }

  /** The same per second, over the last 10 to 20 seconds: the current rate. */
  rates(kind: string): ReadonlyMap<string, number> {
    const steps = Math.min(this.#steps, 1);
    const seconds = (this.#clock.monotonic() - this.#stepBeganAt) / 1000 + steps * stepSeconds;
    const increases = [...this.increases(kind, steps * stepSeconds)];
    return new Map(increases.map(([label, value]) => [label, value / Math.max(seconds, 1)]));
  }

  /** The values of all series of a kind, by label, oldest first. */
  lines(kind: string): ReadonlyMap<string, readonly number[]> {
    const steps = Math.min(this.#steps, historySteps);
    const keys = [...this.#lines].filter(([key]) => key.startsWith(`${kind} `));
    return new Map(
      keys.map(([key, line]) => [
        key.slice(kind.length + 1),
        Array.from({ length: steps }, (_, index) => this.#at(line, steps - index)),
      ]),
    );
  }

  get bytes(): number {
    return this.#lines.size * historySteps * Float32Array.BYTES_PER_ELEMENT;
  }

  /** A counter that decreased has restarted at zero. */
  #sinceStep(key: Key): number {
    return Math.max((this.#now.get(key) ?? 0) - (this.#before.get(key) ?? 0), 0);
  }

  #at(line: Float32Array, stepsBack: number): number {
    return line[(this.#steps - stepsBack) % historySteps] as number;
  }

  #put(key: Key, at: number, value: number): void {
    const line =
      this.#lines.get(key) ?? (this.#lines.size < maxLines ? new Float32Array(historySteps) : null);
    if (line === null) return;
    this.#lines.set(key, line);
    line[at] = value;
  }
}
