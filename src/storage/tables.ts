import {
  bytes,
  bytesOrNull,
  integer,
  integerOrNull,
  oneOf,
  type RowOf,
  table,
  text,
  textOrNull,
} from './batch/table.ts';

/** The tables that batches do not use. initial-schema.ts and steps in migrations.ts create them. Each comes after those that it refers to. */

/** `oldest`: code that knows this version may serve after the step. */
const schemaMigrations = table('schema_migrations', ['version'], {
  version: integer,
  appliedAt: integer,
  oldest: integer,
});

const clients = table('clients', ['id'], {
  id: text,
  label: text,
  state: oneOf<'active' | 'disabled'>(),
  createdAt: integer,
  /** Separated by spaces. */
  scopes: text,
  /** The JWKS, in JSON, whose keys sign the client's assertions; null for a client with secrets. */
  publicKeys: textOrNull,
  /** Null in a row that was written without the master secret. */
  mac: bytesOrNull,
});

const clientSecrets = table('client_secrets', ['id'], {
  id: text,
  clientId: text,
  digest: bytes,
  createdAt: integer,
  label: text,
  /** Null: never. */
  expiresAt: integerOrNull,
  /** The beginning of the day (UTC) on which it was last used. */
  lastUsedOn: integerOrNull,
});

const usedAssertions = table('used_assertions', ['clientId', 'digest'], {
  clientId: text,
  digest: bytes,
  expiresAt: integer,
});

const audit = table('audit', ['seq'], {
  seq: integer,
  at: integer,
  actor: text,
  node: text,
  action: text,
  /** The client, key or caller that was changed. */
  subject: text,
  /** An object, in JSON. */
  details: text,
});

/** Erasures to repeat after a restore: a backup may still have the records of these callers. */
const erasures = table('erasures', ['id'], {
  /** A database with this id has already applied the erasure. */
  id: text,
  /** A keyed digest of the pseudonym. */
  digest: bytes,
  at: integer,
});

/** Revokes the tokens of a name that were issued up to a time. Times are milliseconds since 1970. */
const revocations = table('revocations', ['name'], {
  /** A keyed digest of a pseudonym, a session or the id of a token: see `consumer/pseudonym`. */
  name: text,
  issuedUntil: integer,
  /** From this time all these tokens have expired, and the revocation can be deleted. */
  forgetAt: integer,
  /** Grows with every change, in the order of commits. */
  seq: integer,
  /** The issuer whose limit it counts towards: the name of a provider, or our own issuer. Null for the operator's. */
  issuer: textOrNull,
  /** The `seq` before the last change. */
  movedFrom: integerOrNull,
});

const events = table('events', ['position'], {
  /** Positions are assigned within the commit, one transaction at a time: a reader never sees a lower one appear later. */
  position: integer,
  at: integer,
  /** Such as `notes.created`. */
  type: text,
  collection: textOrNull,
  recordId: textOrNull,
  /** The owner of the record, or the erased caller. */
  owner: text,
  /** What readers get: an object, in JSON. */
  data: text,
});

/** The audience of an event besides the owner: digests that streams compare with their own. `fields`: whether it gets the fields of the record. */
const eventTopics = table('event_topics', ['topic', 'position'], {
  topic: bytes,
  position: integer,
  fields: integer,
});

const webhooks = table('webhooks', ['id'], {
  id: text,
  url: text,
  /** The patterns of the types it gets, separated by commas. */
  events: text,
  secret: bytes,
  /** Signs in addition until it expires. */
  previousSecret: bytesOrNull,
  previousEndsAt: integerOrNull,
  createdAt: integer,
  state: oneOf<'active' | 'disabled'>(),
  /** What has disabled it: the operator, an answer of 410, or days without a success. */
  disabledBecause: oneOf<'operator' | 'gone' | 'failing' | null>({ isNullable: true }),
  /** The position up to which the log is read. */
  position: integer,
  /** The first failure since the last success. Null while it works. */
  failingSince: integerOrNull,
  failures: integer,
  /** No delivery before this time: the receiver asked for a pause, or the circuit is open. */
  pausedUntil: integerOrNull,
  lastSuccessAt: integerOrNull,
  /** A code such as `status_503`, never anything that the receiver has written. */
  lastFailure: textOrNull,
  delivered: integer,
});

const deliveries = table('deliveries', ['webhookId', 'position'], {
  webhookId: text,
  position: integer,
  /** Deliveries with the same key arrive in order. */
  recordKey: text,
  attempts: integer,
  dueAt: integer,
  state: oneOf<'pending' | 'dead'>(),
  reason: textOrNull,
  triedAt: integerOrNull,
});

const signingKeys = table('signing_keys', ['kid'], {
  kid: text,
  algorithm: text,
  publicJwk: text,
  sealedPrivateKey: bytes,
  createdAt: integer,
  /** It signs from this time until the next key does. */
  signsFrom: integer,
  /** From this time all its tokens have expired; null for the newest key. */
  retiresAt: integerOrNull,
});

/** Small documents by name, each with a MAC. */
const documents = table('documents', ['name'], { name: text, content: text, mac: bytes });

/** One row: change counters, by table, for what other processes cache in memory. */
const changes = table('changes', ['id'], {
  id: integer,
  consumers: integer,
  clients: integer,
  revocations: integer,
  signingKeys: integer,
  webhooks: integer,
});

const leases = table('leases', ['name'], { name: text, holder: text, endsAt: integer });

/** By their names in the database. */
export const otherTables = {
  schema_migrations: schemaMigrations,
  clients,
  client_secrets: clientSecrets,
  used_assertions: usedAssertions,
  audit,
  erasures,
  revocations,
  events,
  event_topics: eventTopics,
  webhooks,
  deliveries,
  signing_keys: signingKeys,
  documents,
  changes,
  leases,
};

export type ClientRow = RowOf<typeof clients>;
export type ClientState = ClientRow['state'];
export type ClientSecret = Omit<RowOf<typeof clientSecrets>, 'clientId'>;
export type AuditRow = RowOf<typeof audit>;
export type Erasure = RowOf<typeof erasures>;
export type StoredRevocation = RowOf<typeof revocations>;
export type Revocation = Omit<StoredRevocation, 'seq' | 'movedFrom'>;
export type EventRow = RowOf<typeof events>;
export type WebhookRow = RowOf<typeof webhooks>;
export type DeliveryRow = RowOf<typeof deliveries>;
export type DeliveryState = DeliveryRow['state'];
export type SigningKeyRecord = RowOf<typeof signingKeys>;
