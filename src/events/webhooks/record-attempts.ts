import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { AuditLine, Delivery, DeliveryStore, WebhookStore } from '../../storage/port.ts';
import { healthAfter, retryAt } from './backoff.ts';
import type { Sent } from './send.ts';

export interface RecordParts {
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

/** Records the results of attempts, and the health of the receiver that follows from them. */
export async function recordAttempts(
  id: string,
  attempts: readonly Attempt[],
  { webhooks, deliveries, clock, log, audit }: RecordParts,
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
  const outcomes = attempts.map(({ sent }) => ({
    ok: sent.ok,
    retryAfterMs: sent.ok ? null : sent.retryAfterMs,
  }));
  await deliveries.record(id, {
    at: now,
    delivered: attempts.filter(({ sent }) => sent.ok).map(({ delivery }) => delivery),
    failed: attempts.flatMap(({ delivery: { position, attempts: before }, sent }) =>
      sent.ok
        ? []
        : [{ position, reason: sent.reason, retryAt: retryAt(before + 1, now, sent.retryAfterMs) }],
    ),
    ...healthAfter(webhook, outcomes, now),
  });
}
