import type { Generated, GeneratedAlways, Kysely } from 'kysely';
import { nameIn, type Table } from './batch/table.ts';
import type { BatchTables } from './batch/tables.ts';
import type { ClientState, DeliveryState, DisabledBecause, WatchedTable, WebhookState } from './port.ts';

/** Of records: the database computes the size of the body. */
export const computedColumn = 'bytes';

export interface Tables extends Omit<BatchTables, 'records'> {
  records: BatchTables['records'] & { readonly [computedColumn]: GeneratedAlways<number> };
  /** `oldest`: code that knows this version may serve after the step. */
  schema_migrations: { version: number; applied_at: number; oldest: number };
  clients: {
    id: string;
    label: string;
    state: ClientState;
    created_at: number;
    scopes: string;
    public_keys: string | null;
    /** Null in a row that was written without the master secret. */
    mac: Uint8Array | null;
  };
  client_secrets: {
    id: string;
    client_id: string;
    digest: Uint8Array;
    created_at: number;
    label: string;
    expires_at: number | null;
    last_used_on: number | null;
  };
  used_assertions: { client_id: string; digest: Uint8Array; expires_at: number };
  audit: {
    seq: Generated<number>;
    at: number;
    actor: string;
    node: string;
    action: string;
    subject: string;
    details: string;
  };
  /** The audience of an event besides the owner; `fields`: whether it gets the fields of the record. */
  event_topics: { topic: Uint8Array; position: number; fields: number };
  events: {
    position: number;
    at: number;
    type: string;
    collection: string | null;
    record_id: string | null;
    owner: string;
    data: string;
  };
  webhooks: {
    id: string;
    url: string;
    events: string;
    secret: Uint8Array;
    previous_secret: Uint8Array | null;
    previous_ends_at: number | null;
    created_at: number;
    state: WebhookState;
    disabled_because: DisabledBecause | null;
    position: number;
    failing_since: number | null;
    failures: number;
    paused_until: number | null;
    last_success_at: number | null;
    last_failure: string | null;
    delivered: number;
  };
  deliveries: {
    webhook_id: string;
    position: number;
    /** Deliveries with the same key arrive in order. */
    record_key: string;
    attempts: number;
    due_at: number;
    state: DeliveryState;
    reason: string | null;
    tried_at: number | null;
  };
  /** Erasures to repeat after a restore. */
  erasures: { id: string; digest: Uint8Array; at: number };
  /** Revoked tokens; `seq` grows with every change. */
  revocations: {
    name: string;
    issued_until: number;
    forget_at: number;
    seq: number;
    issuer: string | null;
    moved_from: Generated<number | null>;
  };
  documents: { name: string; content: string; mac: Uint8Array };
  signing_keys: {
    kid: string;
    algorithm: string;
    public_jwk: string;
    sealed_private_key: Uint8Array;
    created_at: number;
    signs_from: number;
    retires_at: number | null;
  };
  /** One row: change counters, by table, for what other processes cache in memory. */
  changes: { id: number } & Record<WatchedTable, Generated<number>>;
  leases: { name: string; holder: string; ends_at: number };
}

/** Each table comes after those that it refers to. */
export const primaryKeys: Readonly<{ [Name in keyof Tables]: readonly (keyof Tables[Name] & string)[] }> = {
  schema_migrations: ['version'],
  clients: ['id'],
  client_secrets: ['id'],
  used_assertions: ['client_id', 'digest'],
  audit: ['seq'],
  consumers: ['id'],
  records: ['collection', 'id'],
  members: ['collection', 'record_id', 'role', 'member'],
  record_history: ['collection', 'record_id', 'n'],
  tallies: ['collection', 'record_id', 'child', 'state'],
  child_work: ['child', 'parent_id', 'what'],
  invitations: ['digest'],
  usage: ['owner', 'collection'],
  spent_budgets: ['former', 'collection'],
  idempotency_keys: ['owner', 'collection', 'key_digest'],
  proofs: ['digest'],
  erasures: ['id'],
  revocations: ['name'],
  events: ['position'],
  event_topics: ['topic', 'position'],
  webhooks: ['id'],
  deliveries: ['webhook_id', 'position'],
  signing_keys: ['kid'],
  documents: ['name'],
  changes: ['id'],
  leases: ['name'],
};

export type Database = Kysely<Tables>;

/** All columns, under the names of the code. */
export function columnsOf({ columns }: Table): never[] {
  return Object.keys(columns).map((name) => `${nameIn(name)} as ${name}`) as never[];
}
