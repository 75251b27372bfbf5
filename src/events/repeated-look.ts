import type { Clock } from '../base/clock.ts';

interface RepeatedLookOptions {
  readonly look: () => Promise<void>;
  /** How often it looks by itself: a call that got lost costs so much time, and nothing else. */
  readonly everyMs: number;
  /** Hears of the first of several failures in a row. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

/**
 * Looks at something that others change, when it hears that they may have, and by itself every so often. One look at a
 * time; a call during it is followed by one more, unless the look fails: then it waits for the clock.
 */
export class RepeatedLook {
  readonly #options: RepeatedLookOptions;
  #isCalled = false;
  #looking: Promise<void> | null = null;
  #isFailing = false;
  /** Until it is started, and again at the end. */
  #isStopped = true;
  #cancelNext: () => void = () => {};

  constructor(options: RepeatedLookOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#lookLater();
  }

  /** Settles when the look under way is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelNext();
    await this.#looking;
  }

  /** Settles after a look that began after the call, or at once before the start and after the end. */
  look(): Promise<void> {
    this.#isCalled = true;
    if (this.#isStopped) return Promise.resolve();
    this.#looking ??= this.#lookOn();
    return this.#looking;
  }

  #lookLater(): void {
    const { clock, everyMs } = this.#options;
    this.#cancelNext = clock.after(everyMs, () => {
      void this.look();
      this.#lookLater();
    });
  }

  async #lookOn(): Promise<void> {
    const { look, onFailure } = this.#options;
    try {
      while (this.#isCalled && !this.#isStopped) {
        this.#isCalled = false;
        await look();
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) onFailure(error);
      this.#isFailing = true;
    } finally {
      this.#looking = null;
    }
  }
}
