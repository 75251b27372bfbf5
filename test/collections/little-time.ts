import assert from 'node:assert/strict';

/**
 * Fails for work with more than linear cost: that takes minutes, all else a tenth of a second.
 * Measures the CPU time of this thread, so that a busy machine changes little.
 */
export function inLittleTime<T>(work: () => T): T {
  const before = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 5_000_000, `took ${(user + system) / 1000} ms`);
  return result;
}
