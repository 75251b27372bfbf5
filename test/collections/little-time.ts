import assert from 'node:assert/strict';

/**
 * Fails for work whose time grows faster than what it is given: that takes minutes, where all else takes a tenth of a second.
 * Of this thread on the processor, so that a busy machine changes little.
 */
export function inLittleTime<T>(work: () => T): T {
  const before = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 5_000_000, `took ${(user + system) / 1000} ms`);
  return result;
}
