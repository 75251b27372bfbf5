import type { Sample } from './exposition.ts';
import { Histogram } from './histogram.ts';

/** Upper bounds in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Counts the requests of one route in plain numbers. To look up labels on every call costs half as much as answering a
 * known caller does; here that is done when somebody looks, not when somebody calls.
 */
export class RequestTally {
  readonly route: string;
  readonly #countsByStatus: Record<string, number[]> = Object.create(null);
  readonly #durations = new Histogram(buckets);

  constructor(route: string) {
    this.route = route;
  }

  add(method: string, status: number, seconds: number): void {
    this.#countsByStatus[method] ??= [];
    const counts = this.#countsByStatus[method];
    counts[status] = (counts[status] ?? 0) + 1;
    this.#durations.add(seconds);
  }

  requests(): Sample[] {
    return Object.entries(this.#countsByStatus).flatMap(([method, counts]) =>
      Object.entries(counts).map(([status, value]) => ({
        labels: { method, route: this.route, status },
        value,
      })),
    );
  }

  durations(): Sample[] {
    return this.#durations.samples({ route: this.route });
  }
}
