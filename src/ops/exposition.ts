interface About {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** What several processes are together, where it is not what goes for the type: counters are summed, of gauges it is the most. */
  readonly across?: Across;
}

export type Across = 'sum' | 'most' | 'least';

/** A metric with its values: plain data, so that one process can tell another. */
export interface Family extends About {
  readonly samples: readonly Sample[];
}

/** One value of a metric. */
export interface Sample {
  /** What its line adds to the name of the metric: a histogram has several. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics by name. The values are made at the moment they are asked for. */
export class Exposition {
  readonly #metrics: (() => Family)[] = [];

  add(about: About, samples: () => readonly Sample[]): void {
    this.#metrics.push(() => ({ ...about, samples: samples() }));
  }

  gauge(name: string, help: string, value: () => number, across: Across = 'most'): void {
    this.add({ name, type: 'gauge', help, across }, () => [{ labels: {}, value: value() }]);
  }

  /**
   * Counts by the values of one label; the function that counts. Those of `known` are there from the beginning: whoever
   * watches for an increase does not see the first one of a value that was not there before.
   */
  counter(
    name: string,
    help: string,
    label: string,
    known: readonly string[] = [],
  ): (labelled: string) => void {
    const counts = new Map(known.map((labelled) => [labelled, 0]));
    this.add({ name, type: 'counter', help }, () =>
      [...counts].map(([labelled, value]) => ({ labels: { [label]: labelled }, value })),
    );
    return (labelled) => counts.set(labelled, (counts.get(labelled) ?? 0) + 1);
  }

  /** A count that somebody else keeps. */
  total(name: string, help: string, value: () => number): void {
    this.add({ name, type: 'counter', help }, () => [{ labels: {}, value: value() }]);
  }

  families(): readonly Family[] {
    return this.#metrics.map((metric) => metric());
  }
}

/** In the text format of Prometheus. */
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
