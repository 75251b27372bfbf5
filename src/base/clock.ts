/** Where every part takes its time from, so that a test can hand in another one. */
export interface Clock {
  /** Wall-clock milliseconds since 1970: what the times inside tokens are held against. */
  now(): number;
  /** Milliseconds that never go backwards: what ages, cool-downs and durations are measured with. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`, without keeping the process alive; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** How far the clock of whoever has signed a token may be from ours. */
export const clockToleranceSeconds = 5;

/** Of a claim that says since when something signed counts (`nbf`, `iat`): it is absent, or a time that has come. */
export function hasBegun(since: unknown, nowSeconds: number): boolean {
  return since === undefined || (typeof since === 'number' && since <= nowSeconds + clockToleranceSeconds);
}

/** By how much the clocks of machines that share a database may differ. */
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
