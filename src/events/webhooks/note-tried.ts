import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { AuditLine, Delivery, DeliveryStore, WebhookStore } from '../../storage/port.ts';
import { healthAfter, retryAt } from './schedule.ts';
import type { Sent } from './send.ts';

export interface NoteParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: Pick<DeliveryStore, 'note'>;
  readonly audit: AuditLine;
  readonly clock: Clock;
  readonly log: Log;
}

/** A delivery that was tried, and what came of it. */
export interface Try {
  readonly delivery: Delivery;
  readonly sent: Sent;
}

/** Notes what has become of tries, and what that says of the receiver. */
export async function noteTried(id: string, tries: readonly Try[], parts: NoteParts): Promise<void> {
  const { webhooks, deliveries, clock, log, audit } = parts;
  const webhook = await webhooks.find(id);
  // Removed meanwhile.
  if (webhook === null) return;
  // First, because it changes nothing when it is done again: should the database fail in between, both are.
  if (tries.some(({ sent }) => sent.status === 410)) {
    const line = audit('webhook.disabled', id, { because: 'gone' });
    if (await webhooks.setState(id, { state: 'disabled', because: 'gone' }, line))
      log.error({ webhook: id }, 'webhook disabled: its receiver answered 410 Gone');
  }
  const now = clock.now();
  const outcomes = tries.map(({ sent }) => ({
    ok: sent.ok,
    retryAfterMs: sent.ok ? null : sent.retryAfterMs,
  }));
  await deliveries.note(id, {
    at: now,
    delivered: tries.filter(({ sent }) => sent.ok).map(({ delivery }) => delivery),
    failed: tries.flatMap(({ delivery: { position, attempts }, sent }) =>
      sent.ok
        ? []
        : [{ position, reason: sent.reason, retryAt: retryAt(attempts + 1, now, sent.retryAfterMs) }],
    ),
    ...healthAfter(webhook, outcomes, now),
  });
}
