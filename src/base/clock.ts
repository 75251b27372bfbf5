import type { PlainLog } from './plain-log.ts';

/** Passed to every part, so that a test can set the time. */
export interface Clock {
  /** Wall-clock milliseconds since 1970, for the times of tokens. */
  now(): number;
  /** Milliseconds that never go backwards, for ages and durations. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`, without keeping the process alive; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** Accepted clock skew of the signer of a token. */
export const clockToleranceSeconds = 5;

/** True if a claim (`nbf`, `iat`) is absent or not in the future. */
export function hasBegun(since: unknown, nowSeconds: number): boolean {
  return since === undefined || (typeof since === 'number' && since <= nowSeconds + clockToleranceSeconds);
}

/** Accepted clock skew between machines that share a database. */
export const clockDifferenceMs = 60_000;

export const systemClock: Clock = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Runs `task` again and again, each time after that delay; the returned function ends it. */
export function every(clock: Clock, delayMs: number, task: () => void): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(delayMs, () => {
      next();
      task();
    });
  };
  next();
  return () => cancel();
}

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
  readonly #log: Pick<PlainLog, 'warn'>;
  #offset: number;
  #since: number;

  constructor(clock: Clock, log: Pick<PlainLog, 'warn'>) {
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
