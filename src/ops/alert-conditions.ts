import { parseDuration } from '../base/duration.ts';
import type { Sample } from './exposition.ts';
import type { MetricName } from './metric-catalogue.ts';

/** The subjects for which a condition holds, such as the names of providers, with their values; '' if there is only one. */
export type Condition = (history: Readings) => ReadonlyMap<string, number>;

/** The part of the history that a condition reads. */
interface Readings {
  samples(metric: MetricName): readonly Sample[];
  increases(kind: string, seconds: number): ReadonlyMap<string, number>;
}

/** A kind and a label, such as `refusal token_expired`. The history stores a line for each. */
export type Key = `${string} ${string}`;

/** A counter that a condition needs in the history. */
interface Counter {
  readonly metric: MetricName;
  readonly keysOf: (labels: Sample['labels']) => readonly Key[];
}

const gaugeForm = /^(?:max by \(.+\) \()?(\w+_\w+)(?:\{job="vestibule"\})?\)? (==|>=|>|<) ([\d.]+|\w+)$/;
const growthForm =
  /^(?:sum without \(\w+\) \()?(rate|increase)\((\w+)(?:\{(\w+)(=~?|!=|!~)"(.+)"\})?\[(\w+)\]\)?\) > ([\d.]+)$/;

/** Reads the two forms of PromQL that this service can evaluate by itself; null for any other. Our metrics have an underscore. */
export function parseCondition(expression: string): { find: Condition; counter?: Counter } | null {
  const [, gauge, comparison, bound = ''] = gaugeForm.exec(expression) ?? [];
  if (gauge !== undefined) {
    const holds = comparisons[comparison as keyof typeof comparisons];
    return {
      find(history) {
        const bounds = current(history, bound);
        return matching(current(history, gauge), (value, about) =>
          holds(value, bounds.get(about) ?? Number(bound)),
        );
      },
    };
  }
  const [, way, metric, label, operator = '', pattern = '', range = '', limit] =
    growthForm.exec(expression) ?? [];
  if (metric === undefined) return null;
  const seconds = (parseDuration(range) ?? 0) / 1000;
  const threshold = Number(limit) * (way === 'rate' ? seconds : 1);
  const form = new RegExp(`^(?:${pattern})$`);
  const isCounted = (value: unknown) => form.test(String(value)) !== operator.startsWith('!');
  return {
    find: (history) => matching(history.increases(expression, seconds), (value) => value > threshold),
    counter: {
      metric: metric as MetricName,
      keysOf: (labels) =>
        label === undefined || isCounted(labels[label]) ? [`${expression} ${subject(labels, label)}`] : [],
    },
  };
}

const comparisons = {
  '>': (value: number, bound: number) => value > bound,
  '>=': (value: number, bound: number) => value >= bound,
  '<': (value: number, bound: number) => value < bound,
  '==': (value: number, bound: number) => value === bound,
};

/** One request in a hundred takes longer than a second if fewer than 99 % are in the bucket of one second. */
export const slowRoutes: Condition = (history) => {
  const quick = history.increases('within_1s', 300);
  const answered = history.increases('answered', 300);
  const slow = Array.from(answered, ([route, all]) => {
    return [route, all === 0 ? 0 : 1 - (quick.get(route) ?? 0) / all] as const;
  });
  return matching(new Map(slow), (share) => share > 0.01);
};

export const webhooksLate: Condition = (history) => {
  const disabled = current(history, 'vestibule_webhook_disabled');
  return matching(
    current(history, 'vestibule_webhook_oldest_undelivered_seconds'),
    (age, id) => age > 600 && disabled.get(id) !== 1,
  );
};

function matching(
  values: ReadonlyMap<string, number>,
  test: (value: number, subject: string) => boolean,
): ReadonlyMap<string, number> {
  return new Map([...values].filter(([about, value]) => test(value, about)));
}

function current(history: Readings, gauge: string): ReadonlyMap<string, number> {
  return new Map(
    history.samples(gauge as MetricName).map(({ labels, value }) => [subject(labels), value] as const),
  );
}

/** The values of all labels but the selected one. */
function subject(labels: Sample['labels'], selected?: string): string {
  return Object.entries(labels)
    .flatMap(([label, value]) => (label === selected ? [] : [value]))
    .join(' ');
}
