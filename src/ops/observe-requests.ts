import { describe, type Refusal } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { errorFields } from '../base/plain-log.ts';
import type { Sample } from './exposition.ts';
import type { RepeatedWarnings } from './repeated-warnings.ts';

/** Called for every finished request. Positional arguments: an object per request would cost more than the counting. */
export type Observe = (
  method: string,
  status: number,
  milliseconds: number,
  requestId: string,
  refusal: Refusal | null,
  traceId: string | null,
  /** The connection ended inside the answer. */
  isCutOff?: boolean,
) => void;

interface RequestMetrics {
  tallyOf(route: string): RequestTally;
  countRefusal(code: string, status: number): void;
}

/**
 * Counts and logs each request. The route's pattern stands for the address. Of the request only the trace id is logged,
 * which is 32 hexadecimal digits: no URL, query, address, user agent, token or claim.
 */
export function createObserve(
  log: Log,
  metrics: RequestMetrics,
  warnings: RepeatedWarnings,
): (route: string) => Observe {
  const logsAll = log.isLevelEnabled('info');
  return (route) => {
    const tally = metrics.tallyOf(route);
    const routeLog = log.child({ route });
    return (method, status, milliseconds, requestId, refusal, traceId, isCutOff = false) => {
      // The head said 200. nginx has 499 for a caller that closes the connection.
      const cutOffStatus = refusal === null ? 499 : describe(refusal.code).status;
      tally.add(method, isCutOff ? cutOffStatus : status, milliseconds / 1000);
      if (refusal !== null) {
        metrics.countRefusal(refusal.code, status);
        const { code, options } = refusal;
        if (describe(code).status === 503)
          warnings.warn({ code, detail: options.detail }, 'requests', 'requests are refused');
      }
      const level = refusal?.code === 'internal' ? 'error' : 'info';
      if (level === 'info' && !logsAll) return;
      const duration = Math.round(milliseconds * 100) / 100;
      const plain = { method, status, duration_ms: duration, request_id: requestId };
      const traced = traceId === null ? plain : { ...plain, trace_id: traceId };
      const line = isCutOff ? { ...traced, cut_off: true } : traced;
      routeLog[level](refusal === null ? line : { ...line, ...refusalFields(refusal) }, 'request');
    };
  };
}

function refusalFields({ code, options }: Refusal): Record<string, unknown> {
  return {
    code,
    ...(options.detail === undefined ? {} : { detail: options.detail }),
    ...(code === 'internal' ? errorFields(options.cause) : {}),
  };
}

/** Upper bounds in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts the requests of one route in plain numbers. Labels are made when the metrics are read, not per request. */
export class RequestTally {
  readonly #route: string;
  readonly #countsByStatus: Record<string, number[]> = Object.create(null);
  readonly #durations = new Histogram(durationBounds);

  constructor(route: string) {
    this.#route = route;
  }

  add(method: string, status: number, seconds: number): void {
    this.#countsByStatus[method] ??= [];
    const counts = this.#countsByStatus[method];
    counts[status] = (counts[status] ?? 0) + 1;
    this.#durations.add(seconds);
  }

  requests(): Sample[] {
    const route = this.#route;
    return Object.entries(this.#countsByStatus).flatMap(([method, counts]) =>
      Object.entries(counts).map(([status, value]) => ({ labels: { method, route, status }, value })),
    );
  }

  durations(): Sample[] {
    return this.#durations.samples({ route: this.#route });
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** The count for each bound, and for larger values. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    (this.#counts[index] as number) += 1;
    this.#sum += value;
  }

  samples(labels: Sample['labels'] = {}): Sample[] {
    let upTo = 0;
    const cumulative = [...this.#bounds, '+Inf'].map((le, index) => {
      upTo += this.#counts[index] as number;
      return { suffix: '_bucket', labels: { le, ...labels }, value: upTo };
    });
    return [
      ...cumulative,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: upTo },
    ];
  }
}
