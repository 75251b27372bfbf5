import { type Across, type MetricName, metricCatalogue } from './metric-catalogue.ts';

/** A metric with its values: plain data that one process can send to another. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly across: Across;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** A suffix of the metric's name: a histogram has several series. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

type ByMetric<Value> = { readonly [name in MetricName]?: Value };

/** The maximum since the last scrape must not reset when the console reads the metrics, too. */
export type Reader = 'scrape' | 'console';

/** Metrics of the catalogue. Their values are read on demand. */
export class Exposition {
  readonly #samples = new Map<MetricName, (reader: Reader) => readonly Sample[]>();

  add(name: MetricName, samples: (reader: Reader) => readonly Sample[]): void {
    this.#samples.set(name, samples);
  }

  watch(values: ByMetric<(reader: Reader) => number>): void {
    for (const [name, value] of Object.entries(values))
      this.add(name as MetricName, (reader) => [{ labels: {}, value: value(reader) }]);
  }

  /** Metrics with a value for each item, whose name is the value of a label. */
  watchEach<Item>(
    label: string,
    items: () => readonly Item[],
    nameOf: (item: Item) => string,
    values: ByMetric<(item: Item) => number>,
  ): void {
    for (const [name, read] of Object.entries(values))
      this.add(name as MetricName, () =>
        items().map((item) => ({ labels: { [label]: nameOf(item) }, value: read(item) })),
      );
  }

  /**
   * Counts by the value of a label, and by further labels. Values of `known` begin with 0: Prometheus misses the first
   * increase of a new series.
   */
  counter(name: MetricName, label: string, known: readonly string[] = []) {
    const counts = new Map<string, Sample>();
    const add = (value: number, labelled: string, further?: Sample['labels']) => {
      const labels = { ...further, [label]: labelled };
      const key = Object.values(labels).join(' ');
      counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + value });
    };
    for (const labelled of known) add(0, labelled);
    this.add(name, () => [...counts.values()]);
    return (labelled: string, further?: Sample['labels']) => add(1, labelled, further);
  }

  families(reader: Reader = 'scrape'): readonly Family[] {
    return Array.from(this.#samples, ([name, read]) => {
      const about = metricCatalogue[name];
      const samples = read(reader);
      // Most counters are 0. For the console every process would send them to the supervisor every few seconds.
      if (reader === 'scrape' || about.type === 'gauge') return { name, ...about, samples };
      return { name, ...about, samples: samples.filter(({ value }) => value !== 0) };
    });
  }
}

export function expositionText(families: readonly Family[]): string {
  return families
    .map(({ name, type, help, samples }) => {
      const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
      return head + samples.map((sample) => line(name, sample)).join('');
    })
    .join('\n');
}

function line(name: string, { suffix = '', labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(
    ([label, labelled]) => `${label}="${escaped(labelled).replaceAll('"', '\\"')}"`,
  );
  const number = String(value).replace('Infinity', 'Inf');
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs}}`} ${number}\n`;
}

function escaped(text: string | number): string {
  return String(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

const combine: Readonly<Record<Across, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  // NaN in one process is NaN in the total.
  max: Math.max,
  min: Math.min,
};

/** The metrics of several processes as one: values with the same name and labels are combined. */
export function mergeMetrics(processes: readonly (readonly Family[])[]): readonly Family[] {
  const byName = Map.groupBy(processes.flat(), ({ name }) => name);
  return [...byName.values()].map((families) => {
    const family = families[0] as Family;
    const samples = new Map<string, Sample>();
    for (const sample of families.flatMap((one) => one.samples)) {
      const { value, ...labelled } = sample;
      const key = JSON.stringify(labelled);
      const known = samples.get(key);
      samples.set(key, known ? { ...labelled, value: combine[family.across](known.value, value) } : sample);
    }
    return { ...family, samples: [...samples.values()] };
  });
}

/** The counters, which outlive a process; its gauges do not. */
export function countsOf(families: readonly Family[]): readonly Family[] {
  return families.filter(({ type }) => type !== 'gauge');
}
