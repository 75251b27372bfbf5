import { setTimeout as pause } from 'node:timers/promises';

/** Polls until a condition holds. Fails with the last answer after the timeout. What takes long to ask is asked less often. */
export async function until<T>(
  ask: () => T | Promise<T>,
  willDo: (answer: T) => boolean,
  what: string,
  deadlineMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (willDo(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`${what}; the last answer was ${JSON.stringify(answer)}`);
    await pause(Math.max(20, 2 * (performance.now() - asked)));
  }
}
