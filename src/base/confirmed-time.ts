import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** NTP moves a clock by less than this between two looks; setting it by hand, or a wake-up, by more. */
const jumpMs = 10_000;
/** A little less than the minute between two sweeps, because timers round. */
const confirmedAfterMs = 59_000;

/**
 * The time for deletions, which cannot be undone. A wrong clock is usually corrected within seconds, so the time is unknown
 * for a minute after a start and after a jump of the wall clock against the monotonic one.
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

  /** Null while the time is not confirmed. */
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
