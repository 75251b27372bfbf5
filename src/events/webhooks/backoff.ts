import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type {
  AttemptResults,
  AuditLine,
  Delivery,
  DeliveryStore,
  Webhook,
  WebhookStore,
} from '../../storage/port.ts';
import type { Sent } from './send.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The delay after each failed attempt. After the last one the delivery is a dead letter. */
export const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  10 * hourMs,
] as const;
/** Deliveries that failed together are not retried together. */
const jitter = 0.1;
const maxRetryAfterMs = dayMs;

/** The circuit breaker opens after this many failures in a row: nothing is sent to the receiver for a while. */
const circuitFailures = 5;
const shortestPauseMs = 5 * secondMs;
const longestPauseMs = 5 * minuteMs;

export const disabledAfterMs = 5 * dayMs;

/** The time of the next retry after this many failed attempts. Null for a dead letter. */
export function retryAt(
  attempts: number,
  now: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  const delay = retryDelaysMs[attempts - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + jitter * (2 * random() - 1));
  return Math.round(now + Math.max(jittered, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}

type ReceiverHealth = AttemptResults['health'];

type AttemptOutcome = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number | null };

/** The health of the receiver after these attempts. With the first success the circuit closes, and what failed is due. */
export function healthAfter(
  before: Pick<Webhook, keyof ReceiverHealth>,
  outcomes: readonly AttemptOutcome[],
  now: number,
): Pick<AttemptResults, 'health' | 'retryFailedSince'> {
  let { failingSince, failures } = before;
  let pausedUntil = pauseEnd(before.pausedUntil, now);
  let retryFailedSince: number | null = null;
  for (const outcome of outcomes) {
    if (outcome.ok) {
      if (failures >= circuitFailures) {
        retryFailedSince ??= failingSince;
        pausedUntil = null;
      }
      failures = 0;
      failingSince = null;
    } else {
      failures += 1;
      failingSince ??= now;
      const pauseMs = Math.max(
        circuitPauseMs(failures),
        Math.min(outcome.retryAfterMs ?? 0, maxRetryAfterMs),
      );
      if (pauseMs > 0) pausedUntil = Math.max(pausedUntil ?? 0, now + pauseMs);
    }
  }
  return { health: { failingSince, failures, pausedUntil }, retryFailedSince };
}

/** Null also for a pause that no receiver can ask for: the clock was ahead when it was written. */
export function pauseEnd(pausedUntil: number | null, now: number): number | null {
  return pausedUntil !== null && pausedUntil - now <= maxRetryAfterMs ? pausedUntil : null;
}

function circuitPauseMs(failures: number): number {
  if (failures < circuitFailures) return 0;
  return Math.min(shortestPauseMs * 2 ** (failures - circuitFailures), longestPauseMs);
}

export interface AttemptParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: Pick<DeliveryStore, 'record'>;
  readonly audit: AuditLine;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Attempt {
  readonly delivery: Delivery;
  readonly sent: Sent;
}

export async function recordAttempts(
  id: string,
  attempts: readonly Attempt[],
  { webhooks, deliveries, clock, log, audit }: AttemptParts,
): Promise<void> {
  const webhook = await webhooks.find(id);
  // Removed meanwhile.
  if (webhook === null) return;
  // First, because it is idempotent: if the database fails before the other write, both are repeated.
  if (attempts.some(({ sent }) => sent.status === 410)) {
    const line = audit('webhook.disabled', id, { because: 'gone' });
    if (await webhooks.setState(id, { state: 'disabled', because: 'gone' }, line))
      log.error({ webhook: id }, 'webhook disabled: its receiver answered 410 Gone');
  }
  const now = clock.now();
  const results = attempts.map(({ sent }) => sent);
  await deliveries.record(id, {
    at: now,
    delivered: attempts.filter(({ sent }) => sent.ok).map(({ delivery }) => delivery),
    failed: attempts.flatMap(({ delivery: { position, attempts: before }, sent }) =>
      sent.ok
        ? []
        : [{ position, reason: sent.reason, retryAt: retryAt(before + 1, now, sent.retryAfterMs) }],
    ),
    ...healthAfter(webhook, results, now),
  });
}
