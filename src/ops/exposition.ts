interface About {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

/** One value of a metric. */
export interface Sample {
  /** Of the line, where it is not that of the metric: a histogram has several. */
  readonly name?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Metrics in the text format of Prometheus. The values are made at the moment they are asked for. */
export class Exposition {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #metrics: (() => string)[] = [];

  add({ name, type, help }: About, samples: () => readonly Sample[]): void {
    const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
    this.#metrics.push(
      () =>
        head +
        samples()
          .map((sample) => line({ name, ...sample }))
          .join(''),
    );
  }

  gauge(name: string, help: string, value: () => number): void {
    this.add({ name, type: 'gauge', help }, () => [{ labels: {}, value: value() }]);
  }

  /** Counts by the values of one label; the function that counts. */
  counter(name: string, help: string, label: string): (labelled: string) => void {
    const counts = new Map<string, number>();
    this.add({ name, type: 'counter', help }, () =>
      [...counts].map(([labelled, value]) => ({ labels: { [label]: labelled }, value })),
    );
    return (labelled) => counts.set(labelled, (counts.get(labelled) ?? 0) + 1);
  }

  text(): string {
    return this.#metrics.map((metric) => metric()).join('\n');
  }
}

function line({ name, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(
    ([label, labelled]) => `${label}="${escaped(labelled).replaceAll('"', '\\"')}"`,
  );
  const number = String(value).replace('Infinity', 'Inf');
  return `${name}${pairs.length === 0 ? '' : `{${pairs}}`} ${number}\n`;
}

function escaped(text: string | number): string {
  return String(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
