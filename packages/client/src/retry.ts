import type { Problem } from './problem.ts';

/**
 * True if the outcome of the request is unknown: no answer, or one from an intermediary that does not know either. A 503 of
 * the service says that it has not begun, unless the database did not answer. A 503 of a proxy has no code.
 */
export function isUnknown({ status, code }: Problem): boolean {
  return !status || (status >= 500 && (status !== 503 || ['storage_unavailable', 'unknown'].includes(code)));
}

/**
 * The backoff in milliseconds before the next try, with jitter, so that clients that were refused together do not return
 * together. Infinity: a repeat is of no use.
 */
export function waitBefore({ status, retryAfterSeconds }: Problem, tries: number): number {
  if (![0, 429, 502, 503, 504].includes(status)) return Infinity;
  const backoff = Math.min(4_000, 200 * 2 ** tries);
  return (retryAfterSeconds ?? 0) * 1000 + Math.random() * backoff;
}
