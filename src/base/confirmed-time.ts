import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** NTP moves a clock by less than this between two looks; a clock that is set by hand, or by a machine that wakes up, by more. */
const jumpMs = 10_000;
/** A little less than the minute between two sweeps, because timers round. */
const confirmedAfterMs = 59_000;

/**
 * The time for what cannot be undone. A clock that was set wrong is usually right again within seconds, and what was
 * deleted meanwhile stays deleted. So nothing is deleted until the clock has gone on for a minute as it should: after a
 * jump, which shows when the wall clock and the monotonic one have moved by different amounts, and after a start, before
 * which nobody has looked.
 */
export class ConfirmedTime {
  readonly #clock: Clock;
  readonly #log: Log;
  #offset: number;
  #since: number;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#since = clock.monotonic();
    this.#offset = clock.now() - this.#since;
  }

  /** The time; null while nobody knows yet whether the clock stays where it is. */
  now(): number | null {
    const monotonic = this.#clock.monotonic();
    const now = this.#clock.now();
    const jumped = now - monotonic - this.#offset;
    this.#offset = now - monotonic;
    if (Math.abs(jumped) > jumpMs) {
      this.#since = monotonic;
      this.#log.warn({ by_seconds: Math.round(jumped / 1000) }, 'the clock has jumped');
    }
    return monotonic - this.#since >= confirmedAfterMs ? now : null;
  }
}
