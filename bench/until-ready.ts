import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from './processes.ts';

const limitMs = 20_000;

/** Waits until a server that was just started says that it is ready. Whoever cannot be asked yet, is not. */
export async function untilReady(
  name: string,
  server: RunningServer,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const startedAt = performance.now();
  while (!(await isReady().catch(() => false))) {
    const words = server.lastWords();
    if (words !== null) throw new Error(`${name} ended before it was ready: ${words}`);
    if (performance.now() - startedAt > limitMs) {
      throw new Error(`${name} is not ready after ${limitMs / 1000} seconds.`);
    }
    await sleep(5);
  }
}
