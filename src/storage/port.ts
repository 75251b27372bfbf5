import type { BatchChanges, BatchKeys, Consumer, ConsumerState, Loaded } from './batch/tables.ts';
import type { AuditEntry, ErasureNotes, ErasureStore } from './entities.ts';
import type { DeliveryStore, EventStore, WebhookStore } from './event-port.ts';
import type { RecordStore } from './port/records.ts';
import type {
  ClientRow,
  ClientSecret,
  ClientState,
  Revocation,
  SigningKeyRecord,
  StoredRevocation,
} from './tables.ts';

export type * from './batch/tables.ts';
export type * from './entities.ts';
export type * from './event-port.ts';
export type * from './port/queries.ts';
export type * from './port/records.ts';
export type * from './tables.ts';

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

export type Outcome = { readonly done: unknown } | { readonly error: unknown };

/** The rules by which batches are decided. The storage does not know the form of an operation. */
export interface BatchRules {
  keysOf(operations: readonly unknown[]): BatchKeys;
  /** What else has to be loaded, given what was loaded so far; null: nothing. Called with `round` 1, 2, ... until then. */
  furtherKeys(operations: readonly unknown[], loaded: Loaded, round: number): BatchKeys | null;
  decide(operations: readonly unknown[], loaded: Loaded): Decision;
}

/** `missing`: a rule has read a row that was not asked for. It is loaded, and the batch is decided again. */
export type Decision =
  | { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] }
  | { readonly missing: BatchKeys };

/** Called with the names of the lookups when rows were missing. */
export type OnReload = (lookups: readonly string[]) => void;

/** A module with `createBatchRules(data)`, which is loaded on the thread that writes the database. */
export interface BatchRulesSource {
  readonly module: string;
  readonly data: unknown;
}

export interface BatchStore {
  /** Loads, decides and applies a batch in one durable transaction. Rejects if it failed or its outcome is unknown. */
  run(operations: readonly unknown[]): Promise<readonly Outcome[]>;
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
  readonly max: number;
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

export interface Client extends Omit<ClientRow, 'scopes' | 'mac'> {
  readonly scopes: readonly string[];
}

export interface ClientWithSecrets extends Client, Pick<ClientRow, 'mac'> {
  readonly secrets: readonly ClientSecret[];
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
  /** Adds a secret unless `maxLive` are valid, makes the others expire (null: never), and deletes those long expired. */
  addSecret(
    clientId: string,
    secret: ClientSecret,
    limits: { readonly now: number; readonly maxLive: number; readonly othersExpireAt: number | null },
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

export interface UsedDocument {
  readonly issuer: string;
  readonly digest: Uint8Array;
  readonly expiresAt: number;
}
