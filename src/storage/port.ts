import type { Consumer } from './batch/tables.ts';
import type { AuditEntry, ConsumerState, ErasureNotes, ErasureStore } from './entities.ts';
import type { DeliveryStore, EventStore, WebhookStore } from './event-port.ts';
import type { BatchRulesSource, BatchStore, OnReload } from './port/batch.ts';
import type { RecordStore } from './port/records.ts';

export type * from './batch/tables.ts';
export type * from './entities.ts';
export type * from './event-port.ts';
export type * from './port/batch.ts';
export type * from './port/erasure.ts';
export type * from './port/queries.ts';
export type * from './port/records.ts';

/**
 * What the rest of the service may ask of a database. This file has no driver and no SQL; SQLite and PostgreSQL behave
 * alike, which test/contract checks. Times are milliseconds since 1970. If the database cannot answer, every method rejects
 * with the refusal `storage_unavailable`; if too many operations wait for it in this process, with `overloaded`.
 */
export interface Storage {
  readonly clients: ClientStore;
  readonly consumers: ConsumerStore;
  readonly signingKeys: SigningKeyStore;
  readonly documents: DocumentStore;
  readonly standing: StandingStore;
  readonly audit: AuditStore;
  readonly assertions: AssertionStore;
  readonly records: RecordStore;
  readonly erasures: ErasureStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly leases: LeaseStore;
  /** Resolves if the database answers and this code can work with its schema. */
  ping(): Promise<void>;
  openBatches(rules: BatchRulesSource, onReload?: OnReload): Promise<BatchStore>;
  readonly engine: 'sqlite' | 'postgres';
  /** Use of the connection pool; null on SQLite. */
  readonly sessionStatus: (() => SessionStatus) | null;
  /** Reads only. */
  describe(): Promise<DatabaseDescription>;
  close(): Promise<void>;
}

/** The size of a database, and of the disk that it is on. */
export interface DatabaseSpace {
  readonly bytes: number;
  /** Null if the disk is on another machine. */
  readonly disk: { readonly bytes: number; readonly free: number } | null;
}

export interface DatabaseDescription extends DatabaseSpace {
  readonly schemaVersion: number;
  /** The result of `migrate --plan`. */
  readonly migration: string;
  /** The last backup by the command `backup`; null if there is none. */
  readonly lastBackup: BackupNote | null;
}

export interface BackupNote {
  readonly at: number;
  readonly bytes: number;
}

export interface SessionStatus {
  readonly most: number;
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
  /** Requests that had to wait so far, and their total time. */
  readonly waits: number;
  readonly waitedSeconds: number;
}

/** Append-only: the database itself refuses to change or delete a line. */
export interface AuditStore {
  list(sinceMs: number): Promise<readonly AuditEntry[]>;
}

export type ClientState = 'active' | 'disabled';

export interface Client {
  readonly id: string;
  readonly label: string;
  readonly state: ClientState;
  readonly scopes: readonly string[];
  /** The JWKS, in JSON, whose keys sign the client's assertions; null for a client with secrets. */
  readonly publicKeys: string | null;
  readonly createdAt: number;
}

export interface ClientSecret {
  readonly id: string;
  readonly label: string;
  readonly digest: Uint8Array;
  readonly createdAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;
  /** The beginning of the day (UTC) on which it was last used. */
  readonly lastUsedOn: number | null;
}

export interface ClientWithSecrets extends Client {
  readonly secrets: readonly ClientSecret[];
  readonly mac: Uint8Array | null;
}

/** Binds a client to the master secret: a client that was written or changed without it is ignored. */
export interface ClientMac {
  of(client: Omit<ClientWithSecrets, 'mac'>): Uint8Array;
  /** True if the MAC matches. Does the same work for an unknown client (timing). */
  isGenuine(client: ClientWithSecrets | null): boolean;
}

/** Storage has no secret of its own. */
export interface StorageKeys {
  readonly clientMac: ClientMac;
  readonly erasures: ErasureNotes;
}

/** Changes write their audit entry in the same transaction. Except for `remove` they ignore a client that is not genuine. */
export interface ClientStore {
  /** Adds a client, with its first secret if it has one. False if the id is taken; then nothing changes. */
  add(client: Client, secret: ClientSecret | null, audit: AuditEntry): Promise<boolean>;
  find(id: string): Promise<ClientWithSecrets | null>;
  list(): Promise<readonly ClientWithSecrets[]>;
  setState(id: string, state: ClientState, audit: AuditEntry): Promise<boolean>;
  setScopes(id: string, scopes: readonly string[], audit: AuditEntry): Promise<boolean>;
  /** Removes the client and its secrets. False if there is no such client. */
  remove(id: string, audit: AuditEntry): Promise<boolean>;
  /** Adds a secret unless `mostLive` are valid, makes the others expire (null: never), and deletes those long expired. */
  addSecret(
    clientId: string,
    secret: ClientSecret,
    limits: { readonly now: number; readonly mostLive: number; readonly othersExpireAt: number | null },
    audit: AuditEntry,
  ): Promise<'added' | 'no_such_client' | 'too_many'>;
  removeSecret(clientId: string, secretId: string, audit: AuditEntry): Promise<boolean>;
  noteUse(secretId: string, day: number): Promise<void>;
}

export interface AssertionStore {
  /** True the first time, across all processes. Forgets what expired before `now`; with null, nothing. */
  use(clientId: string, digest: Uint8Array, expiresAt: number, now: number | null): Promise<boolean>;
  /** Forgets what expired before `now`, including logout tokens. */
  forgetUsed(now: number): Promise<void>;
}

export interface ConsumerStore {
  find(id: string): Promise<Consumer | null>;
  /** The owner of a record. The lookup is written to the audit. */
  ofRecord(collection: string, id: string, audit: AuditEntry): Promise<Consumer | null>;
  /**
   * Corrects users that a wrong clock registered in the future, because they would count as newcomers until then. Returns
   * their number.
   */
  bringBack(now: number): Promise<number>;
  setState(id: string, state: ConsumerState, audit: AuditEntry): Promise<boolean>;
}

/** Tables whose rows processes cache in memory. */
export const watchedTables = ['consumers', 'clients', 'revocations', 'signing_keys', 'webhooks'] as const;
export type WatchedTable = (typeof watchedTables)[number];

export interface StandingStore {
  /** Rows with a higher `seq`, oldest first. */
  revocations(after: number): Promise<readonly StoredRevocation[]>;
  /** Stores all or none; the later time wins. Returns how many were new; null if the document was used before. */
  revoke(
    revocations: readonly Revocation[],
    by: { readonly document: UsedDocument | null; readonly audit: AuditEntry | null },
  ): Promise<number | null>;
  /** Deletes what has expired, except rows that are being changed and the newest: `seq` never goes back. */
  forgetRevocations(now: number): Promise<void>;
  suspendedConsumers(): Promise<readonly string[]>;
  /** Calls back within half a second after any process has changed these tables. The returned function ends it. */
  watch(onChange: (changed: ReadonlySet<WatchedTable>) => void): Promise<() => Promise<void>>;
}

export interface LeaseStore {
  /** Takes or renews a lease, by the database's clock; false while another holder has it. */
  take(name: string, holder: string, forMs: number): Promise<boolean>;
  release(name: string, holder: string): Promise<void>;
}

/** Small documents by name, each with a MAC. */
export interface DocumentStore {
  read(name: string): Promise<{ readonly content: string; readonly mac: Uint8Array } | null>;
  write(name: string, content: string, mac: Uint8Array): Promise<void>;
  writeFirst(name: string, content: string, mac: Uint8Array): Promise<void>;
}

export interface SigningKeyRecord {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: string;
  readonly sealedPrivateKey: Uint8Array;
  readonly createdAt: number;
  /** It signs from this time until the next key does. */
  readonly signsFrom: number;
  /** From this time all its tokens have expired; null for the newest key. */
  readonly retiresAt: number | null;
}

export interface SigningKeyStore {
  list(): Promise<readonly SigningKeyRecord[]>;
  /** Adds the key after `after` (null: the first) and retires that one. False if another process was faster. */
  addNext(
    key: SigningKeyRecord,
    after: { readonly kid: string; readonly retiresAt: number } | null,
    audit: AuditEntry,
  ): Promise<boolean>;
  /**
   * Makes the newest key sign earlier and the one before it retire earlier. False if it is not the newest, or signs by then.
   */
  bringForward(
    key: { readonly kid: string; readonly signsFrom: number },
    before: { readonly kid: string; readonly retiresAt: number },
    audit: AuditEntry,
  ): Promise<boolean>;
  deleteRetired(now: number, audit: (kid: string) => AuditEntry): Promise<readonly string[]>;
}

/** Revokes the tokens of a name that were issued up to a time. Times are milliseconds since 1970. */
export interface Revocation {
  /** A keyed digest of a pseudonym, a session or the id of a token: see `consumer/pseudonym`. */
  readonly name: string;
  readonly issuedUntil: number;
  /** From this time all these tokens have expired, and the revocation can be deleted. */
  readonly forgetAt: number;
  /** The issuer whose limit it counts towards: the name of a provider, or our own issuer. Null for the operator's. */
  readonly issuer: string | null;
}

export interface StoredRevocation extends Revocation {
  /** Grows with every change, in the order of commits. */
  readonly seq: number;
  /** The `seq` before the last change. */
  readonly movedFrom: number | null;
}

export interface UsedDocument {
  readonly issuer: string;
  readonly digest: Uint8Array;
  readonly expiresAt: number;
}
