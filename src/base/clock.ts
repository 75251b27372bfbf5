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
