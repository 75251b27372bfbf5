import { randomBytes, randomUUID } from 'node:crypto';
import type { AttemptResults, NewWebhook } from '../../../src/storage/port.ts';
import { openedAt, type TestDatabase } from '../databases/databases.ts';

export function newWebhook(changes: Partial<NewWebhook> = {}): NewWebhook {
  return {
    id: `whk_${randomUUID()}`,
    url: 'https://hooks.example.org/',
    events: 'notes.*',
    secrets: { current: new Uint8Array(randomBytes(60)), previous: null },
    createdAt: openedAt,
    ...changes,
  };
}

/** Result columns; by default those of a delivery without an attempt. */
export function newResults(changes: Partial<AttemptResults> = {}): AttemptResults {
  return {
    at: openedAt,
    delivered: [],
    failed: [],
    health: { failingSince: null, failures: 0, pausedUntil: null },
    retryFailedSince: null,
    ...changes,
  };
}

/** The database takes no new deliveries until the returned function is called: a fault in the middle of a transaction. */
export async function refuseDeliveries({ engine, query }: TestDatabase): Promise<() => Promise<void>> {
  const [begin, end] =
    engine === 'sqlite'
      ? [
          "create trigger fault before insert on deliveries begin select raise(abort, 'fault'); end",
          'drop trigger fault',
        ]
      : [
          'alter table deliveries add constraint fault check (attempts > 0) not valid',
          'alter table deliveries drop constraint fault',
        ];
  await query(begin);
  return async () => {
    await query(end);
  };
}
