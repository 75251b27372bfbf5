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
