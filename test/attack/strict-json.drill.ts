import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readStrictJson } from '../../src/base/strict-json.ts';

const bodies: Readonly<Record<string, (length: number) => string>> = {
  'a text of quotes without an end': (length) => `"${'\\"'.repeat(length / 2)}`,
  'a text of letters and quotes without an end': (length) => `"${'a\\"'.repeat(length / 3)}`,
  'quotes alone': (length) => '"'.repeat(length + 1),
  backslashes: (length) => `"${'\\'.repeat(length)}`,
  digits: (length) => '1'.repeat(length),
  'dots and signs': (length) => `1${'.-'.repeat(length / 2)}`,
  'many names': (length) =>
    `{${Array.from({ length: length / 10 }, (_, index) => `"k${1e5 + index}":0`).join()}}`,
  'many arrays': (length) => `[${'[],'.repeat(length / 3)}[]]`,
};

/** The shortest of several runs: other programs only make one longer. */
function shortestMs(body: string): number {
  const bytes = Buffer.from(body);
  const runs = Array.from({ length: 5 }, () => {
    const from = performance.now();
    try {
      readStrictJson(bytes);
    } catch {
      // Refused, which takes time as well.
    }
    return performance.now() - from;
  });
  return Math.min(...runs);
}

for (const [name, bodyOf] of Object.entries(bodies)) {
  it(`[D118] the time to read a body grows no faster than its length: ${name}`, () => {
    const [short, long] = [shortestMs(bodyOf(4_000)), shortestMs(bodyOf(16_000))];
    // Four times as long: quadratic would be sixteen times, and what takes less than a millisecond is no measurement.
    assert.ok(long < Math.max(10 * short, 1), `${short} ms and ${long} ms`);
  });
}
