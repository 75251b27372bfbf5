import { setTimeout as pause } from 'node:timers/promises';

/**
 * Reads again on demand: one read at a time, with a pause between two. Unlike with `singleFlight`, a call during a read
 * shares the next one, because the read in flight may miss the change that the caller heard of.
 */
export function coalescedRefresh(read: () => Promise<void>, pauseMs: number): () => Promise<void> {
  /** The last read and the pause after it. Never rejects. */
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const reading = read();
      last = reading.catch(() => {}).then(() => pause(pauseMs, undefined, { ref: false }));
      return reading;
    });
    return next;
  };
}
