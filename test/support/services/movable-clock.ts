import type { Clock } from '../../../src/base/clock.ts';

/** A change that a test asks a service in another process for. */
export type ClockChange =
  | { readonly advanceMs: number }
  | { readonly stepWallClockMs: number }
  | { readonly holdWallClock: boolean }
  | { readonly holdTime: boolean };

/** Runs with the real time, and can be moved ahead (or, the wall clock alone, anywhere). */
export class MovableClock implements Clock {
  #aheadMs = 0;
  #wallAheadMs = 0;
  #heldAt: number | null = null;
  #stoodStillAt: number | null = null;
  readonly #tasks = new Set<{ readonly dueAt: number; arm(): void; run(): void }>();

  now(): number {
    return this.#heldAt ?? Date.now() + this.#aheadMs + this.#wallAheadMs;
  }

  monotonic(): number {
    return (this.#stoodStillAt ?? performance.now()) + this.#aheadMs;
  }

  after(delayMs: number, task: () => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const cancel = () => {
      clearTimeout(timer);
      this.#tasks.delete(entry);
    };
    const entry = {
      dueAt: this.monotonic() + delayMs,
      arm: () => {
        clearTimeout(timer);
        if (this.#stoodStillAt !== null) return;
        timer = setTimeout(entry.run, Math.max(entry.dueAt - this.monotonic(), 0)).unref();
      },
      run: () => {
        cancel();
        task();
      },
    };
    entry.arm();
    this.#tasks.add(entry);
    return cancel;
  }

  change(change: ClockChange): void {
    if ('advanceMs' in change) this.advance(change.advanceMs);
    else if ('stepWallClockMs' in change) this.stepWallClock(change.stepWallClockMs);
    else if ('holdWallClock' in change) this.holdWallClock(change.holdWallClock);
    else this.holdTime(change.holdTime);
  }

  /** Moves the time ahead: due timers run now, the others fire that much earlier. */
  advance(milliseconds: number): void {
    this.#aheadMs += milliseconds;
    const now = this.monotonic();
    const tasks = [...this.#tasks].sort((a, b) => a.dueAt - b.dueAt);
    for (const task of tasks) {
      if (task.dueAt <= now) task.run();
      else task.arm();
    }
  }

  /** Sets the wall clock; timers are not affected. */
  stepWallClock(milliseconds: number): void {
    this.#wallAheadMs += milliseconds;
  }

  /** The wall clock stands still, while time passes; or it goes right again. */
  holdWallClock(isHeld: boolean): void {
    this.#heldAt = null;
    if (isHeld) this.#heldAt = this.now();
  }

  /**
   * No time passes but what `advance` makes pass, the wall clock aside; or it goes on from where it would be. In whole
   * milliseconds, which add up exactly.
   */
  holdTime(isHeld: boolean): void {
    this.#stoodStillAt = isHeld ? Math.ceil(performance.now()) : null;
    this.advance(0);
  }
}
