import { setTimeout as pause } from 'node:timers/promises';

/**
 * Reads something again whenever anybody asks, one reading at a time and with a pause between two. Who asks during one
 * shares the one after it, which cannot miss what they have heard of; so a crowd costs no more than one.
 */
export class CoalescedRefresh {
  readonly #read: () => Promise<void>;
  readonly #pauseMs: number;
  /** The last reading and the pause after it. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(read: () => Promise<void>, pauseMs: number) {
    this.#read = read;
    this.#pauseMs = pauseMs;
  }

  /** The end of a reading that begins after this call. */
  again(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      const reading = this.#read();
      this.#last = reading.catch(() => {}).then(() => pause(this.#pauseMs, undefined, { ref: false }));
      return reading;
    });
    return this.#next;
  }
}
