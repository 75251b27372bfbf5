import type { Kysely } from 'kysely';
import type { ClientState, ConsumerKind, ConsumerState } from './port.ts';

/** The tables as they are after the last migration. */
export interface Tables {
  schema_migrations: { version: number; applied_at: number };
  clients: { id: string; label: string; state: ClientState; created_at: number };
  client_secrets: { id: string; client_id: string; digest: Uint8Array; created_at: number };
  consumers: { id: string; kind: ConsumerKind; state: ConsumerState; registered_at: number };
  shelf: { name: string; content: string; mac: Uint8Array };
  signing_keys: {
    kid: string;
    algorithm: string;
    public_jwk: string;
    sealed_private_key: Uint8Array;
    created_at: number;
  };
}

export type Database = Kysely<Tables>;
