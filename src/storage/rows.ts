import type { Row } from './engine.ts';
import type {
  Consumer,
  EventTopic,
  RecordMember,
  RecordWithMembers,
  SpentBudget,
  StoredEvent,
  StoredIdempotencyKey,
  StoredInvitation,
  StoredMember,
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

/** Adds a column with the members: "role member" of each, one per line. */
export function recordWithMembers(row: Row): RecordWithMembers {
  const record = recordOf(row);
  if (row.length === recordColumns.length) return record;
  const text = row.at(-1);
  return { ...record, members: typeof text === 'string' ? text.split('\n').map(memberOf) : [] };
}

function memberOf(text: string): RecordMember {
  const [role = '', member = ''] = text.split(' ');
  return { role, member };
}

export function toMember(row: Tables['members']): StoredMember {
  const { collection, record_id, role, member, alias, since, record_created_at } = row;
  return {
    collection,
    recordId: record_id,
    role,
    member,
    alias: new Uint8Array(alias),
    since,
    recordCreatedAt: record_created_at,
  };
}

export function toInvitation(row: Tables['invitations']): StoredInvitation {
  return {
    digest: new Uint8Array(row.digest),
    id: row.id,
    collection: row.collection,
    recordId: row.record_id,
    role: row.role,
    madeBy: row.made_by,
    usesLeft: row.uses_left,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

export function eventOf(row: Row): StoredEvent {
  const [position, at, type, collection, recordId, owner, data, topics] = row as EventValues;
  const event = { position, at, type, collection, recordId, owner, data };
  return typeof topics === 'string' ? { ...event, topics: topics.split(' ').map(topicOf) } : event;
}

function topicOf(text: string): EventTopic {
  return { topic: text.slice(0, -1), hasFields: text.endsWith('1') };
}

type EventValues = readonly [number, number, string, string | null, string | null, string, string, unknown];

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
  const { owner, collection, key_digest, request_digest, record_ids, expires_at } = row;
  return {
    owner,
    collection,
    keyDigest: new Uint8Array(key_digest),
    requestDigest: new Uint8Array(request_digest),
    recordIds: record_ids,
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
