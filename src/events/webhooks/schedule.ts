import type { Tried, Webhook } from '../../storage/port.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** How long after each failure it is tried again; after one more it is given up. */
export const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  10 * hourMs,
] as const;
/** So that what failed together does not come back together. */
const jitter = 0.1;
const mostRetryAfterMs = dayMs;

/** After so many failures in a row it is only probed: one delivery at a time, with pauses in between. */
const restAfterFailures = 5;
const shortestRestMs = 5 * secondMs;
const longestRestMs = 5 * minuteMs;

export const disabledAfterMs = 5 * dayMs;
export const warnedAfterMs = 4 * dayMs;

/** When a delivery that has failed so often is tried again; null when it is given up. */
export function retryAt(
  attempts: number,
  now: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  const delay = retryDelaysMs[attempts - 1];
  if (delay === undefined) return null;
  return Math.round(now + Math.max(jittered(delay, random), Math.min(retryAfterMs ?? 0, mostRetryAfterMs)));
}

type Health = Tried['health'];

/** What a try says of the receiver. */
export interface Outcome {
  readonly ok: boolean;
  readonly retryAfterMs: number | null;
}

/** How the receiver fares after these tries, and since when what failed is due again: it has come back from a rest. */
export function healthAfter(
  before: Pick<Webhook, keyof Health>,
  outcomes: readonly Outcome[],
  now: number,
): Pick<Tried, 'health' | 'dueAgainSince'> {
  const { failingSince, failures, restingSince } = before;
  const pausedUntil = pauseEnd(before.pausedUntil, now);
  let health: Health = { failingSince, failures, restingSince, pausedUntil };
  let dueAgainSince: number | null = null;
  for (const outcome of outcomes) {
    if (outcome.ok) {
      dueAgainSince ??= health.restingSince;
      // A pause that the receiver has asked for stays; that of a rest ends with it.
      const pause = health.restingSince === null ? health.pausedUntil : null;
      health = { failingSince: null, failures: 0, restingSince: null, pausedUntil: pause };
    } else health = worse(health, outcome, now);
  }
  return { health, dueAgainSince };
}

/** Until when nothing is sent. Null also where a clock that was wrong has said it: nobody can ask for so long. */
export function pauseEnd(pausedUntil: number | null, now: number): number | null {
  return pausedUntil !== null && pausedUntil - now <= mostRetryAfterMs ? pausedUntil : null;
}

function worse(health: Health, { retryAfterMs }: Outcome, now: number): Health {
  const failures = health.failures + 1;
  const rests = failures >= restAfterFailures;
  const restMs = rests ? Math.min(shortestRestMs * 2 ** (failures - restAfterFailures), longestRestMs) : 0;
  const pauseMs = Math.max(restMs, Math.min(retryAfterMs ?? 0, mostRetryAfterMs));
  return {
    failures,
    failingSince: health.failingSince ?? now,
    restingSince: rests ? (health.restingSince ?? now) : null,
    pausedUntil: pauseMs === 0 ? health.pausedUntil : Math.max(health.pausedUntil ?? 0, now + pauseMs),
  };
}

function jittered(milliseconds: number, random: () => number): number {
  return milliseconds * (1 + jitter * (2 * random() - 1));
}
