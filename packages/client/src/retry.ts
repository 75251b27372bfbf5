import type { Problem } from './problem.ts';

/**
 * True if the outcome of the request is unknown: no answer, or one from an intermediary that does not know either. With 503
 * the service says that it has not begun, unless it was the database that did not answer; a proxy gives no code.
 */
export function isUnknown({ status, code }: Problem): boolean {
  return !status || (status >= 500 && (status !== 503 || ['storage_unavailable', 'unknown'].includes(code)));
}

/**
 * How many milliseconds to wait before the request is sent again; Infinity when that is of no use. By chance a little more
 * than asked for, so that all who were refused at once do not come back at once.
 */
export function waitBefore({ status, retryAfterSeconds }: Problem, tries: number): number {
  if (![0, 429, 502, 503, 504].includes(status)) return Infinity;
  const backoff = Math.min(4_000, 200 * 2 ** tries);
  return (retryAfterSeconds ?? 0) * 1000 + Math.random() * backoff;
}
