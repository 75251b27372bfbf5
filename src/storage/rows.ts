import type { Row } from './engine.ts';
import type {
  Consumer,
  SpentBudget,
  StoredEvent,
  StoredIdempotencyKey,
  StoredRecord,
  Usage,
} from './port.ts';
import type { Tables } from './schema.ts';

/** Rows for several inserts: a statement has at most 32,766 values. */
export function* chunksOf<T>(rows: readonly T[], size = 1_000): Generator<readonly T[]> {
  for (let done = 0; done < rows.length; done += size) yield rows.slice(done, done + size);
}

export const recordColumns = [
  'collection',
  'id',
  'owner',
  'state',
  'revision',
  'created_at',
  'updated_at',
  'body',
] as const;

export function recordOf(row: Row): StoredRecord {
  const [collection, id, owner, state, revision, createdAt, updatedAt, body] = row as RecordValues;
  return { collection, id, owner, state, revision, createdAt, updatedAt, body };
}

type RecordValues = readonly [string, string, string, string | null, string, number, number, string];

export function eventOf(row: Row): StoredEvent {
  const [position, at, type, collection, recordId, owner, data] = row as EventValues;
  return { position, at, type, collection, recordId, owner, data };
}

type EventValues = readonly [number, number, string, string | null, string | null, string, string];

export function toConsumer(row: Tables['consumers']): Consumer {
  return { id: row.id, kind: row.kind, state: row.state, registeredAt: row.registered_at };
}

export function toRecord(row: Omit<Tables['records'], 'bytes'>): StoredRecord {
  const { collection, id, owner, state, revision, created_at, updated_at, body } = row;
  return { collection, id, owner, state, revision, createdAt: created_at, updatedAt: updated_at, body };
}

export function toUsage(row: Omit<Tables['usage'], 'owner' | 'collection'>): Usage {
  return { records: row.records, ...budgetsOf(row) };
}

export function toUsageOf(row: Tables['usage']) {
  return { owner: row.owner, collection: row.collection, ...toUsage(row) };
}

export function toSpentBudget(row: Tables['spent_budgets'], owner: string): SpentBudget {
  const { former, collection, ends_at } = row;
  return { owner, former: new Uint8Array(former), collection, usage: budgetsOf(row), endsAt: ends_at };
}

export function toIdempotencyKey(row: Tables['idempotency_keys']): StoredIdempotencyKey {
  const { owner, collection, key_digest, request_digest, record_id, expires_at } = row;
  return {
    owner,
    collection,
    keyDigest: new Uint8Array(key_digest),
    requestDigest: new Uint8Array(request_digest),
    recordId: record_id,
    expiresAt: expires_at,
  };
}

type Budgets = Pick<Tables['usage'], 'writes' | 'writes_since' | 'newcomer_writes' | 'newcomer_since'>;

function budgetsOf(row: Budgets): Omit<Usage, 'records'> {
  return {
    writes: row.writes,
    writesSince: row.writes_since,
    newcomerWrites: row.newcomer_writes,
    newcomerSince: row.newcomer_since,
  };
}
