import { type Clock, every } from './clock.ts';

interface RepeatedLookOptions {
  readonly look: () => Promise<void>;
  /** Polls so often in case a call got lost. */
  readonly everyMs: number;
  /** Called for the first of several failures in a row. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

/** A poll loop that can be woken: one look at a time; a call during a look is followed by one more, unless the look fails. */
export class RepeatedLook {
  readonly #options: RepeatedLookOptions;
  #isCalled = false;
  /** Set before the look begins: it may itself call for one more. */
  #isLooking = false;
  #looking = Promise.resolve();
  #isFailing = false;
  #isStopped = true;
  #cancel = () => {};

  constructor(options: RepeatedLookOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs } = this.#options;
    this.#isStopped = false;
    this.#cancel = every(clock, everyMs, () => void this.look());
  }

  /** Settles when the look under way is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  /** Settles after a look that began after the call, or at once before the start and after the end. */
  look(): Promise<void> {
    this.#isCalled = true;
    if (this.#isStopped) return Promise.resolve();
    if (!this.#isLooking) this.#looking = this.#lookOn();
    return this.#looking;
  }

  async #lookOn(): Promise<void> {
    const { look, onFailure } = this.#options;
    this.#isLooking = true;
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
      this.#isLooking = false;
    }
  }
}
