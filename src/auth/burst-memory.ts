import type { Clock } from '../base/clock.ts';

/** Longer than a page needs for all it asks at once, and no longer than such a text is around anyway. */
const keptMs = 10_000;
const mostEntries = 4_096;
const longestText = 2_048;

/**
 * What is known of texts that came back, for a few seconds. A caller who comes back now most likely does so again at
 * once, and to find a text is much cheaper than to hash it. What grants access stays nowhere for longer than that.
 */
export class BurstMemory<V> {
  readonly #clock: Clock;
  readonly #values = new Map<string, V>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(text: string): V | undefined {
    return this.#values.get(text);
  }

  add(text: string, value: V): void {
    if (text.length > longestText || this.#values.size >= mostEntries) return;
    if (this.#values.size === 0) this.#clock.after(keptMs, () => this.#values.clear());
    this.#values.set(text, value);
  }
}
