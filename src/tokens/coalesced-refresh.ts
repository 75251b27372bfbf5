import { setTimeout as pause } from 'node:timers/promises';

/**
 * Reads something again whenever anybody asks, one reading at a time and with a pause between two. Who asks during one
 * shares the one after it, which cannot miss what they have heard of; so a crowd costs no more than one. What comes back
 * is the end of a reading that begins after the call.
 */
export function coalescedRefresh(read: () => Promise<void>, pauseMs: number): () => Promise<void> {
  /** The last reading and the pause after it. Never rejects. */
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
