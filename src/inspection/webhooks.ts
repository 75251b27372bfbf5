import { webhookBox, webhookEgress } from '../administration.ts';
import { deriveKeyring, type Keyring } from '../auth/keyring.ts';
import { masterSecretFits } from '../auth/master-secret.ts';
import { systemClock } from '../base/clock.ts';
import { readMasterSecret } from '../config/files.ts';
import type { Config, StorageConfig } from '../config/settings.ts';
import { disabledAfterMs } from '../events/webhooks/backoff.ts';
import { EgressError } from '../events/webhooks/egress.ts';
import { messageId } from '../events/webhooks/message.ts';
import { openSecrets } from '../events/webhooks/signing.ts';
import { lookInto } from '../storage/look.ts';
import type { Delivery, DeliveryState, Reading, Webhook } from '../storage/port.ts';
import { readStorage } from './read-storage.ts';

/** A webhook, and whether whoever wrote it had the master secret: if not, nothing is sent to it. */
export interface ListedWebhook extends Webhook {
  readonly isGenuine: boolean;
  readonly dead: number;
  readonly oldestAt: number | null;
  /** When it is going to be disabled, unless it works by then. */
  readonly disabledAt: number | null;
}

export type ListedDelivery = Delivery & { readonly messageId: string };

export function listWebhooks(config: StorageConfig): Promise<readonly ListedWebhook[]> {
  return readStorage(config, listedWebhooks);
}

async function listedWebhooks(
  { webhooks, deliveries }: Reading,
  keyring: Keyring,
): Promise<readonly ListedWebhook[]> {
  const counts = new Map((await deliveries.counts()).map((one) => [one.webhookId, one]));
  return (await webhooks.list()).map((webhook) => ({
    ...webhook,
    isGenuine: openSecrets(webhookBox(keyring), webhook, systemClock.now()) !== null,
    dead: counts.get(webhook.id)?.dead ?? 0,
    oldestAt: counts.get(webhook.id)?.oldestAt ?? null,
    disabledAt: willBeDisabledAt(webhook),
  }));
}

function willBeDisabledAt({ state, failingSince }: Webhook): number | null {
  return state === 'active' && failingSince !== null ? failingSince + disabledAfterMs : null;
}

/** What is still to be delivered to a webhook, or was given up; null when there is no such webhook. */
export function listDeliveries(
  config: StorageConfig,
  id: string,
  state: DeliveryState | null,
  limit: number,
): Promise<readonly ListedDelivery[] | null> {
  return readStorage(config, async ({ webhooks, deliveries }) => {
    if ((await webhooks.find(id)) === null) return null;
    const found = await deliveries.list(id, state, limit);
    return found.map((delivery) => ({ ...delivery, messageId: messageId(delivery.event) }));
  });
}

/** Each webhook, and why nothing could be sent to its address now; null when the database cannot be read. */
export function inspectWebhooks(config: Config) {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state !== 'ready') return null;
    const keyring = deriveKeyring(readMasterSecret(config));
    if (!(await masterSecretFits(look.reading.documents, keyring))) return null;
    const egress = webhookEgress(config);
    const webhooks = await listedWebhooks(look.reading, keyring);
    return Promise.all(
      webhooks.map(async (webhook) => ({ webhook, fault: await faultOf(() => egress.check(webhook.url)) })),
    );
  });
}

async function faultOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof EgressError) return error.message;
    throw error;
  }
}
