import type { ListedDelivery, ListedWebhook } from '../../app/lists.ts';
import { isoTime, table } from '../output.ts';

/** A webhook as data, never with its secrets. */
export function asData(webhook: ListedWebhook) {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    events: webhook.events.split(','),
    state: webhook.state,
    disabled_because: webhook.disabledBecause,
    genuine: webhook.isGenuine,
    created_at: isoTime(webhook.createdAt),
    position: webhook.position,
    delivered: webhook.delivered,
    dead: webhook.dead,
    oldest_undelivered_at: isoTime(webhook.oldestAt),
    last_success_at: isoTime(webhook.lastSuccessAt),
    last_failure: webhook.lastFailure,
    failing_since: isoTime(webhook.failingSince),
    disabled_at: isoTime(webhook.disabledAt),
    paused_until: isoTime(webhook.pausedUntil),
    previous_secret_ends_at: isoTime(webhook.secrets.previous?.endsAt ?? null),
  };
}

export type WebhookData = ReturnType<typeof asData>;

export function showWebhooks(webhooks: readonly WebhookData[]): string {
  if (webhooks.length === 0)
    return "There are no webhooks yet. Add one with: npx vestibule webhook add https://hooks.example.org/ --events 'bookings.*'";
  return table(
    ['ID', 'STATE', 'EVENTS', 'DELIVERED', 'DEAD', 'LAST SUCCESS', 'URL', 'NOTE'],
    webhooks.map((webhook) => [
      webhook.webhook_id,
      webhook.genuine ? webhook.state : 'NOT GENUINE',
      webhook.events.join(),
      String(webhook.delivered),
      String(webhook.dead),
      webhook.last_success_at ?? 'never',
      webhook.url,
      noteOn(webhook),
    ]),
  );
}

export function showWebhook(webhook: WebhookData): string {
  const lines = Object.entries(webhook).map(([name, value]) => [name, String(value ?? '-')]);
  return [...lines.map(([name = '', value]) => `${name.padEnd(23)}  ${value}`), '', noteOn(webhook)]
    .join('\n')
    .trimEnd();
}

function noteOn(webhook: WebhookData): string {
  if (!webhook.genuine) return 'changed without the master secret, and ignored';
  if (webhook.state === 'disabled') return `disabled: ${reasons[webhook.disabled_because ?? 'operator']}`;
  if (webhook.failing_since === null) return '';
  return `failing since ${webhook.failing_since} (${webhook.last_failure}); disabled on ${webhook.disabled_at} unless it works by then`;
}

const reasons = {
  operator: 'by a command',
  gone: 'its receiver answered 410 Gone',
  failing: 'it has failed for five days',
} as const;

export function deliveryAsData(delivery: ListedDelivery) {
  const { position, messageId, event, state, attempts, dueAt, triedAt, reason } = delivery;
  return {
    position,
    id: messageId,
    type: event.type,
    state,
    attempts,
    happened_at: isoTime(event.at),
    tried_at: isoTime(triedAt),
    due_at: state === 'dead' ? null : isoTime(dueAt),
    reason,
  };
}

export function showDeliveries(deliveries: readonly ReturnType<typeof deliveryAsData>[]): string {
  if (deliveries.length === 0) return 'Nothing waits to be delivered, and nothing was given up.';
  return table(
    ['ID', 'TYPE', 'STATE', 'ATTEMPTS', 'HAPPENED', 'DUE', 'REASON'],
    deliveries.map((one) => [
      one.id,
      one.type,
      one.state,
      String(one.attempts),
      one.happened_at ?? '',
      one.due_at ?? '-',
      one.reason ?? '-',
    ]),
  );
}
