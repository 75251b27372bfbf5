import type { Keyring } from '../auth/keyring.ts';
import { systemClock } from '../base/clock.ts';
import { isoTime } from '../base/date-time.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { StorageConfig } from '../config/settings.ts';
import { createRevocationNames } from '../consumer/pseudonym.ts';
import { disabledAfterMs } from '../events/webhooks/backoff.ts';
import { messageId } from '../events/webhooks/message.ts';
import { openSigners } from '../events/webhooks/signing.ts';
import type { ClientWithSecrets, Delivery, DeliveryState, Storage } from '../storage/port.ts';
import { createClientMac } from '../tokens/client-directory.ts';
import { webhookBox } from './administration.ts';
import { readStorage } from './read-storage.ts';

export type ListedWebhook = Awaited<ReturnType<typeof listedWebhooks>>[number];

export type ListedDelivery = Delivery & { readonly messageId: string };

export const listWebhooks = (config: StorageConfig) => readStorage(config, listedWebhooks);

export async function listedWebhooks({ webhooks, deliveries }: Storage, keyring: Keyring) {
  const counts = new Map((await deliveries.counts()).map((one) => [one.webhookId, one]));
  return (await webhooks.list()).map((webhook) => ({
    ...webhook,
    /** False if it was written without the master secret: then nothing is sent to it. */
    isGenuine: openSigners(webhookBox(keyring), webhook, systemClock.now()) !== null,
    dead: counts.get(webhook.id)?.dead ?? 0,
    oldestAt: counts.get(webhook.id)?.oldestAt ?? null,
    /** When it will be disabled if it does not succeed before. */
    disabledAt:
      webhook.state === 'active' && webhook.failingSince !== null
        ? webhook.failingSince + disabledAfterMs
        : null,
  }));
}

/** Pending and dead deliveries of a webhook; null if there is no such webhook. */
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

/** False if it was written without the master secret: then the client is ignored. */
export type ListedClient = ClientWithSecrets & { readonly isGenuine: boolean };

export const listClients = (config: StorageConfig) => readStorage(config, listedClients);

export async function listedClients(
  { clients }: Storage,
  keyring: Keyring,
): Promise<readonly ListedClient[]> {
  const clientMac = createClientMac(keyring.clients);
  return (await clients.list()).map((client) => ({ ...client, isGenuine: clientMac.isGenuine(client) }));
}

export type InspectedConsumer = NonNullable<Awaited<ReturnType<typeof inspectedConsumer>>>;

export const inspectConsumer = (config: StorageConfig, id: string) =>
  readStorage(config, (storage, keyring) => inspectedConsumer(storage, keyring, id));

/** All data that is stored about a caller; null if there is no such consumer. Times are milliseconds since 1970. */
export async function inspectedConsumer(
  { consumers, records, standing }: Storage,
  keyring: Keyring,
  id: string,
) {
  const consumer = await consumers.find(id);
  if (consumer === null) return null;
  const { kind, state, registeredAt } = consumer;
  const names = createRevocationNames(createKeyedDigest(keyring.revocations));
  const revocations = new Map((await standing.revocations(0)).map((one) => [one.name, one.issuedUntil]));
  const usage = await records.usage(id);
  return {
    id,
    kind,
    state,
    registered_at: isoTime(registeredAt),
    /** Tokens issued up to this time are refused. */
    signed_out_at: isoTime(revocations.get(names.caller(id)) ?? null),
    /** The same for tokens without a session id, because a session has ended. */
    session_ended_at: isoTime(revocations.get(names.withoutSession(id)) ?? null),
    records: [...usage].map(([collection, { records: count }]) => ({ collection, count })),
  };
}
