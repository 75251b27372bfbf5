import type { Generated, Kysely } from 'kysely';
import type {
  ClientState,
  ConsumerKind,
  ConsumerState,
  DeliveryState,
  DisabledBecause,
  WatchedTable,
  WebhookState,
} from './port.ts';

export interface Tables {
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
  consumers: { id: string; kind: ConsumerKind; state: ConsumerState; registered_at: number };
  records: {
    collection: string;
    id: string;
    owner: string;
    state: string | null;
    revision: string;
    created_at: number;
    updated_at: number;
    /** Stored as text on both databases: numbers, unicode and the order of members stay as written. */
    body: string;
    bytes: number;
  };
  usage: {
    owner: string;
    collection: string;
    records: number;
    writes: number;
    writes_since: number;
    newcomer_writes: number;
    newcomer_since: number;
  };
  spent_budgets: {
    former: Uint8Array;
    collection: string;
    writes: number;
    writes_since: number;
    newcomer_writes: number;
    newcomer_since: number;
    ends_at: number;
  };
  idempotency_keys: {
    owner: string;
    collection: string;
    key_digest: Uint8Array;
    request_digest: Uint8Array;
    record_ids: string;
    expires_at: number;
  };
  members: {
    collection: string;
    record_id: string;
    role: string;
    member: string;
    alias: Uint8Array;
    since: number;
    record_created_at: number;
  };
  record_history: {
    collection: string;
    record_id: string;
    /** From 1 on in each record. */
    n: number;
    at: number;
    action: string;
    from_state: string | null;
    to_state: string | null;
    role: string | null;
  };
  tallies: { collection: string; record_id: string; child: string; state: string; n: number };
  child_work: {
    child: string;
    parent_id: string;
    what: 'delete' | 'own';
    new_owner: string | null;
    at: number;
  };
  invitations: {
    digest: Uint8Array;
    id: string;
    collection: string;
    record_id: string;
    role: string;
    made_by: string;
    uses_left: number;
    expires_at: number;
    created_at: number;
  };
  /** The audience of an event besides the owner; `fields`: whether it gets the fields of the record. */
  event_topics: { topic: Uint8Array; position: number; fields: number };
  /** Used DPoP proofs of writes, and ids of records that callers chose (those never expire); no row identifies a caller. */
  proofs: { digest: Uint8Array; expires_at: number };
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
