import type { Clock } from '../base/clock.ts';
import { RecentMap } from '../base/recent-map.ts';

/** A bounded map whose entries expire. Inventing keys only evicts the ones that were used longest ago. */
export class ExpiringMap<K, V> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #ttlMs: number;
  readonly #entries: RecentMap<K, { readonly value: V; readonly expiresAt: number }>;

  constructor(clock: Pick<Clock, 'monotonic'>, ttlMs: number, maxEntries: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#entries = new RecentMap(maxEntries);
  }

  get(key: K): V | undefined {
    return this.secondsLeft(key) > 0 ? this.#entries.get(key)?.value : undefined;
  }

  has(key: K): boolean {
    return this.secondsLeft(key) > 0;
  }

  /** Until the entry expires; 0 when there is none. */
  secondsLeft(key: K): number {
    const now = this.#clock.monotonic();
    return Math.max(((this.#entries.get(key)?.expiresAt ?? now) - now) / 1000, 0);
  }

  set(key: K, value: V): void {
    this.#entries.set(key, { value, expiresAt: this.#clock.monotonic() + this.#ttlMs });
  }

  clear(): void {
    this.#entries.clear();
  }
}
