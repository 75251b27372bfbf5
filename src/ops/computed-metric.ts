import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

interface About {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

/** Adds a metric whose values are made at the moment they are asked for. */
export function compute(registry: Registry, about: About, values: () => MetricValue<string>[]): void {
  const get = async () =>
    ({ ...about, aggregator: 'sum', values: values() }) as unknown as MetricObjectWithValues<
      MetricValue<string>
    >;
  registry.registerMetric({ ...about, get, reset() {} } as object as Metric);
}

export function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  compute(registry, { name, type: 'gauge', help }, () => [{ labels: {}, value: value() }]);
}
