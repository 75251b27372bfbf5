import type { Clock } from '../base/clock.ts';

interface BeatsOptions<T> {
  readonly clock: Clock;
  /** Each is called once in so long. */
  readonly everyMs: number;
  readonly onBeat: (one: T) => void;
}

/** Calling thousands in one go would keep requests waiting for as many milliseconds as there are hundreds. */
const turnMs = 50;

/** Calls many, each once in a while and a few at a time. */
export class Beats<T> {
  readonly #options: BeatsOptions<T>;
  /** One for each turn of the time in which all are called. */
  readonly #turns: readonly Set<T>[];
  #size = 0;
  /** By the monotonic clock, in turns: up to here all have been called. */
  #done = 0;
  #cancel: () => void = () => {};

  constructor(options: BeatsOptions<T>) {
    this.#options = options;
    this.#turns = Array.from({ length: options.everyMs / turnMs }, () => new Set<T>());
  }

  /** By chance: those who come at the same time are not called at the same time. The returned function ends it. */
  add(one: T): () => void {
    const turn = this.#turns[Math.floor(Math.random() * this.#turns.length)];
    turn?.add(one);
    this.#size += 1;
    if (this.#size === 1) this.#start();
    return () => {
      if (turn?.delete(one) !== true) return;
      this.#size -= 1;
      if (this.#size === 0) this.#cancel();
    };
  }

  #start(): void {
    this.#done = this.#now();
    this.#later();
  }

  #later(): void {
    this.#cancel = this.#options.clock.after(turnMs, () => {
      this.#callThoseDue();
      if (this.#size > 0) this.#later();
    });
  }

  #callThoseDue(): void {
    const now = this.#now();
    // A process that was held up calls everybody once, and not once for each time that it missed.
    for (let turn = Math.max(this.#done, now - this.#turns.length) + 1; turn <= now; turn += 1)
      for (const one of this.#turns[turn % this.#turns.length] ?? []) this.#options.onBeat(one);
    this.#done = now;
  }

  #now(): number {
    return Math.floor(this.#options.clock.monotonic() / turnMs);
  }
}
