import type { Exposition } from './exposition.ts';

/** The state of a webhook, the same in every process. */
export interface WebhookStatus {
  readonly id: string;
  readonly isDisabled: boolean;
  /** How long the oldest event that it has not got yet has waited. */
  readonly oldestSeconds: number;
  readonly failingSeconds: number;
  readonly dead: number;
  readonly behind: number;
}

/** All processes tell the same of them: as of the last look into the database, ten seconds ago at most. */
export function describeWebhooks(exposition: Exposition, status: () => readonly WebhookStatus[]): void {
  const gauge = (name: string, help: string, value: (webhook: WebhookStatus) => number) =>
    exposition.add({ name, type: 'gauge', help }, () =>
      status().map((webhook) => ({ labels: { webhook: webhook.id }, value: value(webhook) })),
    );
  gauge(
    'vestibule_webhook_oldest_undelivered_seconds',
    'Age of the oldest event that the webhook has not got yet; 0 when it has all.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge(
    'vestibule_webhook_positions_behind',
    'Positions of the log that were not looked through for the webhook yet.',
    ({ behind }) => behind,
  );
  gauge('vestibule_webhook_dead_letters', 'Deliveries that were given up.', ({ dead }) => dead);
  gauge(
    'vestibule_webhook_failing_seconds',
    'For how long nothing has been taken and something failed; after 432000 the webhook is disabled.',
    ({ failingSeconds }) => failingSeconds,
  );
  gauge('vestibule_webhook_disabled', '1 when nothing is sent to the webhook.', ({ isDisabled }) =>
    Number(isDisabled),
  );
}
