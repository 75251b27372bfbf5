import type { Generated, Kysely } from 'kysely';
import type { ClientState, ConsumerKind, ConsumerState } from './port.ts';

/** The tables as they are after the last migration. */
export interface Tables {
  schema_migrations: { version: number; applied_at: number };
  clients: {
    id: string;
    label: string;
    state: ClientState;
    created_at: number;
    /** Separated by single spaces, as in a token. */
    scopes: string;
    public_keys: string | null;
    /** Null in a row that nobody with the master secret has written. */
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
    /** As text on both databases: numbers, unicode and the order of members come back as they were written. */
    body: string;
    /** Of the body. */
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
    record_id: string;
    expires_at: number;
  };
  /** What `DocumentStore` keeps. */
  shelf: { name: string; content: string; mac: Uint8Array };
  signing_keys: {
    kid: string;
    algorithm: string;
    public_jwk: string;
    sealed_private_key: Uint8Array;
    created_at: number;
    signs_from: number;
    retires_at: number | null;
  };
}

export type Database = Kysely<Tables>;
