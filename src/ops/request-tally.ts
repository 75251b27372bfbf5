import type { Sample } from './exposition.ts';

/** Upper bounds in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Counts the requests of one route in plain numbers. To look up labels on every call costs half as much as answering a
 * known caller does; here that is done when somebody looks, not when somebody calls.
 */
export class RequestTally {
  readonly route: string;
  readonly #countsByStatus: Record<string, number[]> = Object.create(null);
  /** Requests that took at most as long as the bucket of the same index and longer than the one before it. */
  readonly #durations = new Array<number>(buckets.length + 1).fill(0);
  #seconds = 0;
  #count = 0;

  constructor(route: string) {
    this.route = route;
  }

  add(method: string, status: number, seconds: number): void {
    this.#countsByStatus[method] ??= [];
    const counts = this.#countsByStatus[method];
    counts[status] = (counts[status] ?? 0) + 1;
    let index = 0;
    while (index < buckets.length && seconds > (buckets[index] as number)) index += 1;
    (this.#durations[index] as number) += 1;
    this.#seconds += seconds;
    this.#count += 1;
  }

  requests(): Sample[] {
    return Object.entries(this.#countsByStatus).flatMap(([method, counts]) =>
      Object.entries(counts).map(([status, value]) => ({
        labels: { method, route: this.route, status },
        value,
      })),
    );
  }

  durations(name: string): Sample[] {
    const { route } = this;
    let upTo = 0;
    const cumulative = [...buckets, '+Inf'].map((le, index) => {
      upTo += this.#durations[index] as number;
      return { name: `${name}_bucket`, labels: { le, route }, value: upTo };
    });
    return [
      ...cumulative,
      { name: `${name}_sum`, labels: { route }, value: this.#seconds },
      { name: `${name}_count`, labels: { route }, value: this.#count },
    ];
  }
}
