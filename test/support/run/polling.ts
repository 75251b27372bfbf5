import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/**
 * Polls until the answer equals a value, or a function accepts it. Fails with the last answer after the timeout. What takes
 * long to ask is asked less often.
 */
export async function until<T>(
  ask: () => T | Promise<T>,
  expected: NoInfer<T> | ((answer: NoInfer<T>) => boolean),
  what: string,
  deadlineMs = 20_000,
): Promise<T> {
  const willDo = expected instanceof Function ? expected : (answer: T) => isDeepStrictEqual(answer, expected);
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
