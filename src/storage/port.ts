import type { AuditEntry, Consumer, ConsumerState, ErasureNotes, ErasureStore } from './entities.ts';
import type { DeliveryStore, EventStore, WebhookStore } from './event-port.ts';
import type { BatchRulesSource, BatchStore, RecordStore } from './record-port.ts';

export type * from './entities.ts';
export type * from './event-port.ts';
export type * from './record-port.ts';

/**
 * What the rest of the service may ask of a database. No driver and no SQL in here; SQLite and PostgreSQL answer
 * alike, and test/contract holds both to it. Times are milliseconds since 1970. When the database cannot answer,
 * every method rejects with the refusal `storage_unavailable`; when too much waits for it in this process, with `overloaded`.
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
  /** Resolves when the database answers and its schema is one that this code can work with. */
  ping(): Promise<void>;
  /** Batches of writes, decided by these rules. */
  openBatches(rules: BatchRulesSource): Promise<BatchStore>;
  readonly engine: 'sqlite' | 'postgres';
  /** How the sessions of this process with the database are used; null where there are none. */
  readonly sessionStatus: (() => SessionStatus) | null;
  close(): Promise<void>;
}

export interface SessionStatus {
  readonly most: number;
  readonly inUse: number;
  readonly idle: number;
  /** Who waits for one now. */
  readonly waiting: number;
  /** How many have had to wait so far, and how long all together. */
  readonly waits: number;
  readonly waitedSeconds: number;
}

/** Append-only: the database itself refuses to change or delete a line. */
export interface AuditStore {
  /** Oldest first, from `sinceMs` on. */
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
  /** From then on it counts no more; null is never. */
  readonly expiresAt: number | null;
  /** The beginning of the day (UTC) on which it was last used. */
  readonly lastUsedOn: number | null;
}

export interface ClientWithSecrets extends Client {
  /** By time of creation. */
  readonly secrets: readonly ClientSecret[];
  /** Over all that decides what the client may do; see `ClientMac`. */
  readonly mac: Uint8Array | null;
}

/**
 * Binds a client and its secrets together with a key of the master secret, so that whoever can only write to the
 * database can neither make a client nor change one: what does not fit counts as if it were not there.
 */
export interface ClientMac {
  of(client: Omit<ClientWithSecrets, 'mac'>): Uint8Array;
  /** Whether its `mac` is its own. As much work for nobody. */
  isGenuine(client: ClientWithSecrets | null): boolean;
}

/** What the storage cannot do by itself, because it has no secret. */
export interface StorageKeys {
  readonly clientMac: ClientMac;
  readonly erasures: ErasureNotes;
}

/**
 * What changes a client writes its line of the audit in the same transaction, and changes only one that is genuine: for
 * all but `find`, `list` and `remove` another one does not exist.
 */
export interface ClientStore {
  /** Adds a client, with its first secret if it has one. False when the id is taken; then nothing changes. */
  add(client: Client, secret: ClientSecret | null, audit: AuditEntry): Promise<boolean>;
  find(id: string): Promise<ClientWithSecrets | null>;
  /** By time of creation, then by id. */
  list(): Promise<readonly ClientWithSecrets[]>;
  /** False when there is no such client. */
  setState(id: string, state: ClientState, audit: AuditEntry): Promise<boolean>;
  /** False when there is no such client. */
  setScopes(id: string, scopes: readonly string[], audit: AuditEntry): Promise<boolean>;
  /** Removes the client and its secrets. False when there is no such client. */
  remove(id: string, audit: AuditEntry): Promise<boolean>;
  /**
   * Adds a secret to a client that has fewer than `mostLive` secrets at the time `now`, and lets all the others expire
   * at `othersExpireAt` unless they do so earlier (null leaves them be). Those that expired days ago are deleted.
   */
  addSecret(
    clientId: string,
    secret: ClientSecret,
    limits: { readonly now: number; readonly mostLive: number; readonly othersExpireAt: number | null },
    audit: AuditEntry,
  ): Promise<'added' | 'no_such_client' | 'too_many'>;
  /** False when the client has no such secret. */
  removeSecret(clientId: string, secretId: string, audit: AuditEntry): Promise<boolean>;
  noteUse(secretId: string, day: number): Promise<void>;
}

/** Which signed assertions were used, so that none is used twice. */
export interface AssertionStore {
  /** True the first time, for all processes together. What expired before `now` is forgotten; with null nothing is. */
  use(clientId: string, digest: Uint8Array, expiresAt: number, now: number | null): Promise<boolean>;
  /** Forgets what expired before `now`, documents of providers among it. */
  forgetUsed(now: number): Promise<void>;
}

export interface ConsumerStore {
  find(id: string): Promise<Consumer | null>;
  /** Whose record it is; that it was asked is written down. Null when there is no such record. */
  ofRecord(collection: string, id: string, audit: AuditEntry): Promise<Consumer | null>;
  /**
   * Whoever was registered in a time to come, by a clock that was wrong then, is registered now instead: or it would be
   * new until that time. Users only, since it makes no difference for clients. Answers with their number.
   */
  bringBack(now: number): Promise<number>;
  /** False when there is no such consumer. */
  setState(id: string, state: ConsumerState, audit: AuditEntry): Promise<boolean>;
}

/** What processes keep in memory of the database, by its tables. */
export const watchedTables = ['consumers', 'clients', 'revocations', 'signing_keys', 'webhooks'] as const;
export type WatchedTable = (typeof watchedTables)[number];

export interface StandingStore extends RevocationStore {
  /** The pseudonyms of the suspended consumers. */
  suspendedConsumers(): Promise<readonly string[]>;
  /**
   * Calls back within half a second after any process has changed these tables; with all tables after a failed read.
   * The returned function ends it.
   */
  watch(onChange: (changed: ReadonlySet<WatchedTable>) => void): Promise<() => Promise<void>>;
}

/** Who does by itself what one process is to do at a time. */
export interface LeaseStore {
  /** Takes or renews the lease of that name for so long, by the clock of the database; false while somebody else has it. */
  take(name: string, holder: string, forMs: number): Promise<boolean>;
  /** Gives it back, if it is this holder's. */
  release(name: string, holder: string): Promise<void>;
}

/** Small documents by name, each with a checksum that only whoever has the master secret can make. */
export interface DocumentStore {
  read(name: string): Promise<{ readonly content: string; readonly mac: Uint8Array } | null>;
  write(name: string, content: string, mac: Uint8Array): Promise<void>;
  /** Writes it unless there is one of that name: of several who come at once, one wins. */
  writeFirst(name: string, content: string, mac: Uint8Array): Promise<void>;
}

export interface SigningKeyRecord {
  readonly kid: string;
  readonly algorithm: string;
  /** The public key as a JWK, in JSON. */
  readonly publicJwk: string;
  /** The private key, encrypted. */
  readonly sealedPrivateKey: Uint8Array;
  readonly createdAt: number;
  /** From then on it signs, until another does. */
  readonly signsFrom: number;
  /** From then on no token that it signed is alive; null while it signs or is going to. */
  readonly retiresAt: number | null;
}

export interface SigningKeyStore {
  /** In the order in which they sign. */
  list(): Promise<readonly SigningKeyRecord[]>;
  /**
   * Adds a key that follows the newest one, which is to be `after` (null: there is none yet), and says when that one
   * retires. Of several processes that come at once one wins; false for the others.
   */
  addNext(
    key: SigningKeyRecord,
    after: { readonly kid: string; readonly retiresAt: number } | null,
    audit: AuditEntry,
  ): Promise<boolean>;
  /**
   * Lets the newest key sign earlier than it was to, and the one before it retire earlier. False when it is not the
   * newest any more, or signs by then anyway.
   */
  bringForward(
    key: { readonly kid: string; readonly signsFrom: number },
    before: { readonly kid: string; readonly retiresAt: number },
    audit: AuditEntry,
  ): Promise<boolean>;
  /** Deletes those that retired before `now`; answers with their names. */
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
  /** Grows with every note, in the order in which they were committed. What is noted once more gets a new one. */
  readonly seq: number;
  /** The one it had before, if it was noted before. */
  readonly movedFrom: number | null;
}

/** A signed document that may be used once. */
export interface UsedDocument {
  readonly issuer: string;
  /** Of its id. */
  readonly digest: Uint8Array;
  readonly expiresAt: number;
}

export interface RevocationStore {
  /** Those that were noted after this one, oldest first; all of them after 0. */
  revocations(after: number): Promise<readonly StoredRevocation[]>;
  /**
   * Notes all of them, or none; of two with one name the later time counts, and nobody hears of what was noted before. Answers
   * with how many were not; null, and nothing is noted, when the document was used before, by any process.
   */
  revoke(
    revocations: readonly Revocation[],
    by: { readonly document: UsedDocument | null; readonly audit: AuditEntry | null },
  ): Promise<number | null>;
  /**
   * Forgets what nobody needs to know any more; what somebody is noting again just now is left for later. The newest note
   * stays, so that `seq` never goes back.
   */
  forgetRevocations(now: number): Promise<void>;
}
