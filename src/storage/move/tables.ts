import type { Tables } from '../schema.ts';

/** Not copied is each database's own: the steps that its schema has gone, and what the processes on it share of each other. */
type Copied = Exclude<keyof Tables, 'schema_migrations' | 'changes' | 'leases'>;

/** The key by which the rows of each table are found and ordered. */
const keys: Readonly<{ [Name in Copied]: readonly (keyof Tables[Name] & string)[] }> = {
  clients: ['id'],
  client_secrets: ['id'],
  used_assertions: ['client_id', 'digest'],
  audit: ['seq'],
  consumers: ['id'],
  records: ['collection', 'id'],
  usage: ['owner', 'collection'],
  spent_budgets: ['former', 'collection'],
  idempotency_keys: ['owner', 'collection', 'key_digest'],
  proofs: ['digest'],
  erasures: ['id'],
  revocations: ['name'],
  events: ['position'],
  webhooks: ['id'],
  // After the two that it refers to.
  deliveries: ['webhook_id', 'position'],
  signing_keys: ['kid'],
  documents: ['name'],
};

export interface CopiedTable {
  readonly name: Copied;
  readonly key: readonly string[];
}

/** In an order in which nothing is copied before what it refers to. */
export const copiedTables: readonly CopiedTable[] = Object.entries(keys).map(([name, key]) => ({
  name: name as Copied,
  key,
}));
