import type { Clock } from '../base/clock.ts';
import { isoTime } from '../base/date-time.ts';
import { Refusal } from '../base/errors.ts';
import { singleFlight } from '../base/single-flight.ts';
import type { Collection } from '../collections/collection.ts';
import type { ConsoleState } from '../ops/console-data.ts';
import type { KeySetStatus } from '../ops/health.ts';
import { RecordCounts } from '../ops/record-counts.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { BaseParts } from './base-parts.ts';
import {
  inspectedConsumer,
  type ListedClient,
  type ListedWebhook,
  listedClients,
  listedWebhooks,
} from './lists.ts';

interface StateParts {
  readonly collections: readonly Collection[];
  readonly keySets: () => readonly KeySetStatus[];
  readonly signingKeys: Pick<SigningKeys, 'published'>;
}

/** Further receivers are counted and not shown. */
const maxShown = 100;

/** The data of one process besides its metrics, as plain data for the console. */
export function createConsoleState(
  { storage, keyring, clock }: BaseParts,
  { collections, keySets, signingKeys }: StateParts,
) {
  const names = collections.map(({ name }) => name);
  const counts = new RecordCounts({ collections: names, store: storage.records, clock });
  const readDatabase = lastKnown(clock, async () => {
    const [{ bytes, disk, schemaVersion, migration, lastBackup }, events, webhooks, clients] =
      await Promise.all([
        storage.describe(),
        storage.events.extent(),
        listedWebhooks(storage, keyring),
        listedClients(storage, keyring),
      ]);
    return {
      bytes,
      disk,
      schema_version: schemaVersion,
      migration,
      last_backup: lastBackup && { at: isoTime(lastBackup.at), bytes: lastBackup.bytes },
      events,
      webhooks: webhooks.slice(0, maxShown).map((webhook) => webhookData(webhook, clock.now())),
      webhooks_in_all: webhooks.length,
      clients: clients.slice(0, maxShown).map(clientData),
      clients_in_all: clients.length,
    };
  });

  const state = async (): Promise<ConsoleState> => {
    counts.keepUp();
    return {
      providers: keySets().map(providerData),
      signing_keys: signingKeys.published().map(({ kid, algorithm, signsFrom, retiresAt }) => {
        return { kid, algorithm, signs_from: isoTime(signsFrom), retires_at: isoTime(retiresAt) };
      }),
      collections: collections.map(({ name, title }) => {
        const { states, countedAt } = counts.of(name);
        return { name, title, states, counted_at: isoTime(countedAt) };
      }),
      database: { engine: storage.engine, ...(await readDatabase()) },
    };
  };
  return { state, consumer: (id: string) => inspectedConsumer(storage, keyring, id) };
}

function providerData(keys: KeySetStatus) {
  return {
    name: keys.name,
    usable: keys.usable,
    keys: keys.keys,
    alarming_keys: keys.alarmingKeys,
    age_seconds: keys.ageSeconds,
    next_fetch_seconds: keys.nextFetchSeconds,
    stale_seconds_left: keys.staleLeftSeconds,
    last_fault: keys.lastFault,
  };
}

/** The path of a receiver's address is often a secret: only its origin is shown. */
function webhookData(webhook: ListedWebhook, now: number) {
  const { pausedUntil } = webhook;
  return {
    id: webhook.id,
    origin: URL.parse(webhook.url)?.origin ?? 'not a URL',
    events: webhook.events,
    state: webhook.isGenuine ? webhook.state : 'not genuine',
    disabled_because: webhook.disabledBecause,
    position: webhook.position,
    delivered: webhook.delivered,
    dead: webhook.dead,
    failures: webhook.failures,
    last_failure: webhook.lastFailure,
    oldest_undelivered_at: isoTime(webhook.oldestAt),
    last_success_at: isoTime(webhook.lastSuccessAt),
    failing_since: isoTime(webhook.failingSince),
    disabled_at: isoTime(webhook.disabledAt),
    paused_until: pausedUntil !== null && pausedUntil > now ? isoTime(pausedUntil) : null,
  };
}

/** A client with a public key has no secrets. */
function clientData({ id, label, state, isGenuine, secrets }: ListedClient) {
  return {
    id,
    label,
    state: isGenuine ? state : 'not genuine',
    secrets: secrets.map(({ expiresAt, lastUsedOn }) => {
      return { expires_at: isoTime(expiresAt), last_used_on: isoTime(lastUsedOn) };
    }),
  };
}

const readEveryMs = 1_500;
const answerWithinMs = 500;

/**
 * A read of the database that is repeated on demand and answered within half a second: with the last value, and why there is
 * no newer one.
 */
function lastKnown<Value extends object>(clock: Clock, read: () => Promise<Value>) {
  let value: Value | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let asOf: number | null = null;
  let fault: string | null = null;
  const refresh = singleFlight(async () => {
    try {
      value = await read();
      asOf = clock.now();
      fault = null;
    } catch (error) {
      fault = error instanceof Refusal ? (error.options.detail ?? error.code) : 'an unexpected error';
    }
    readAt = clock.monotonic();
  });
  return async () => {
    if (clock.monotonic() - readAt > readEveryMs) {
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(answerWithinMs, () => {
        fault = `no answer within ${answerWithinMs / 1000} s`;
        late.resolve();
      });
      await Promise.race([refresh(), late.promise]).finally(cancel);
    }
    return { value, as_of: isoTime(asOf), fault };
  };
}
