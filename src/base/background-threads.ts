import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Nicer than the event loop by so much. */
const niceness = 19;

/**
 * Lets the threads of the platform's pool give way to the event loop: they sign tokens for milliseconds on end, and
 * whoever waits for a quick answer should not wait for them. Linux has a priority for each thread; elsewhere, and where
 * it is not allowed, everything stays as it is.
 */
export async function lowerPoolPriority(): Promise<void> {
  // The pool comes into being with its first task.
  await stat('.').catch(() => {});
  const tasks = '/proc/self/task';
  try {
    for (const id of readdirSync(tasks)) {
      const name = readFileSync(`${tasks}/${id}/comm`, 'utf8').trim();
      if (name === 'libuv-worker') setPriority(Number(id), niceness);
    }
  } catch {
    // As said above.
  }
}
