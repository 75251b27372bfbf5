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
  /** Resolves when the database answers and its schema is the one this code was written for. */
  ping(): Promise<void>;
  /** Batches of writes, decided by these rules. */
  openBatches(rules: BatchRulesSource): Promise<BatchStore>;
  close(): Promise<void>;
}

/** What may be read of a database that is only looked at: nothing in it is made, migrated or changed. */
export interface Reading {
  readonly clients: Pick<ClientStore, 'find' | 'list'>;
  readonly consumers: Pick<ConsumerStore, 'find'>;
  readonly signingKeys: Pick<SigningKeyStore, 'list'>;
  readonly documents: Pick<DocumentStore, 'read'>;
  readonly standing: Pick<StandingStore, 'suspendedConsumers'>;
  readonly audit: AuditStore;
  readonly records: Pick<RecordStore, 'ofCollection' | 'counts' | 'usage' | 'top' | 'isScrubDue'>;
}

/** One line of the audit: who did what to whom. Never a secret, never an address. */
export interface AuditEntry {
  readonly at: number;
  /** The command or the part of the service that did it. */
  readonly actor: string;
  /** The machine it was done on. */
  readonly node: string;
  readonly action: string;
  /** The client, key or caller it was done to. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Makes the lines of one actor on one machine, at the time they are made. */
export type AuditLine = (action: string, subject: string, details?: AuditEntry['details']) => AuditEntry;

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
  /** Rejects when the database was made with another master secret. */
  checkMasterSecret(documents: DocumentStore): Promise<void>;
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
}

export type ConsumerKind = 'user' | 'client';
export type ConsumerState = 'active' | 'suspended';

/** All that is kept about a caller. */
export interface Consumer {
  /** The pseudonym. */
  readonly id: string;
  readonly kind: ConsumerKind;
  readonly state: ConsumerState;
  readonly registeredAt: number;
}

export interface ConsumerStore {
  find(id: string): Promise<Consumer | null>;
  /**
   * Whoever was registered in a time to come, by a clock that was wrong then, is registered now instead: or it would be
   * new until that time. Users only, since it makes no difference for clients. Answers with their number.
   */
  bringBack(now: number): Promise<number>;
  /** False when there is no such consumer. */
  setState(id: string, state: ConsumerState, audit: AuditEntry): Promise<boolean>;
}

export interface StandingStore {
  suspendedConsumers(): Promise<readonly string[]>;
  /**
   * Calls back soon after anybody, in this process or another, may have changed a consumer or a client, and after a time
   * without a connection. May call back for nothing. The returned function ends it.
   */
  watch(onChange: () => void): Promise<() => Promise<void>>;
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

/** A record of a declared collection. */
export interface StoredRecord {
  readonly collection: string;
  readonly id: string;
  /** The pseudonym of whom it belongs to. */
  readonly owner: string;
  /** Null in a collection without states. */
  readonly state: string | null;
  /** Another one with every change, and never the same again. */
  readonly revision: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The fields, in JSON. */
  readonly body: string;
}

/** A field of the body that records can be filtered and sorted by. */
export interface IndexedField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean';
}

/** What the records of a collection are listed by. */
export interface DeclaredIndexes {
  readonly name: string;
  readonly index: readonly IndexedField[];
  /** Whether somebody lists the records of others; when it is not said, yes. */
  readonly listedByOthers?: boolean;
  /** Whether its records expire; when it is not said, yes. */
  readonly expires?: boolean;
}

export type Operator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';
/** Booleans are 0 and 1. */
export type FieldValue = string | number;

/** A place in the order of a list: that of a record with this value and id, whether it is there or not. */
export interface Place {
  readonly value: FieldValue;
  readonly id: string;
}

export interface RecordQuery {
  readonly collection: string;
  /** Null: everybody's. */
  readonly owner: string | null;
  readonly state: string | null;
  readonly conditions: readonly {
    readonly field: IndexedField | 'created_at';
    readonly operator: Operator;
    readonly value: FieldValue;
  }[];
  /** Records that agree in it come by id, in the same direction. */
  readonly sort: { readonly field: IndexedField | 'created_at'; readonly descending: boolean };
  /** Only what comes after this place in that order. */
  readonly after: Place | null;
  /** And not beyond this one; when it is not said, to the end. */
  readonly until?: Place | null;
  readonly limit: number;
  /** What was last changed at this time or before has expired; null: nothing expires. */
  readonly expiredAt: number | null;
}

/** How much of its limits an owner has used in one collection. Budgets count from the beginning of their window. */
export interface Usage {
  readonly records: number;
  readonly writes: number;
  readonly writesSince: number;
  readonly newcomerWrites: number;
  readonly newcomerSince: number;
}

/** What is counted when a caller is erased. */
export interface Erased {
  readonly records: Readonly<Record<string, number>>;
  readonly idempotencyKeys: number;
  /** Until when it stays what was spent of budgets; null when nothing stays. */
  readonly budgetsKeptUntil: number | null;
}

/** What stays of the budgets of a caller that is erased. */
export interface ErasedBudgets {
  /** The name under which it stays, which leads back to nobody. */
  readonly former: Uint8Array;
  /** Until when that usage counts; null: it does not any more. */
  endOf(collection: string, usage: Usage): number | null;
}

/** What a batch of writes names: all of it is read at once, and nobody else changes it until the batch is done. */
export interface BatchKeys {
  /** `former` is asked for only of those that are not registered. */
  readonly consumers: readonly { readonly id: string; former(): Uint8Array }[];
  readonly usage: readonly OwnerInCollection[];
  readonly records: readonly RecordName[];
  readonly idempotencyKeys: readonly IdempotencyKeyName[];
  /** Users registered since then are counted, no further than so many; null: nobody asks. */
  readonly newcomers: { readonly since: number; readonly atMost: number } | null;
}

export interface OwnerInCollection {
  readonly owner: string;
  readonly collection: string;
}

export interface RecordName {
  readonly collection: string;
  readonly id: string;
}

export interface IdempotencyKeyName extends OwnerInCollection {
  readonly keyDigest: Uint8Array;
}

export interface StoredIdempotencyKey extends IdempotencyKeyName {
  readonly requestDigest: Uint8Array;
  readonly recordId: string;
  readonly expiresAt: number;
}

/** What somebody who was erased had spent of budgets whose windows still run. */
export interface SpentBudget {
  readonly owner: string;
  readonly former: Uint8Array;
  readonly collection: string;
  readonly usage: Omit<Usage, 'records'>;
  readonly endsAt: number;
}

/** What is there of what a batch names. */
export interface Loaded {
  readonly consumers: readonly Consumer[];
  /** Of consumers that are not registered. */
  readonly spentBudgets: readonly SpentBudget[];
  readonly usage: readonly (Usage & OwnerInCollection)[];
  /** Those that the idempotency keys lead to as well. */
  readonly records: readonly StoredRecord[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
  readonly newcomers: number;
}

/** What a batch comes to: no row twice. */
export interface BatchChanges {
  readonly newConsumers: readonly Consumer[];
  /** Former names of whom is back. */
  readonly takenUpBudgets: readonly Uint8Array[];
  readonly newRecords: readonly StoredRecord[];
  readonly changedRecords: readonly StoredRecord[];
  readonly removedRecords: readonly RecordName[];
  readonly newUsage: readonly (Usage & OwnerInCollection)[];
  /** `moved`: by how much the number of records changes, since others may change it, too. */
  readonly changedUsage: readonly (Usage & OwnerInCollection & { readonly moved: number })[];
  /** Of owners whose budgets nobody touched. */
  readonly movedUsage: readonly (OwnerInCollection & { readonly moved: number })[];
  readonly idempotencyKeys: readonly StoredIdempotencyKey[];
}

/** What became of one operation of a batch. */
export type Outcome = { readonly done: unknown } | { readonly error: unknown };

/** The rules by which batches are decided. Storage knows nothing of what an operation is. */
export interface BatchRules {
  keysOf(operations: readonly unknown[]): BatchKeys;
  decide(
    operations: readonly unknown[],
    loaded: Loaded,
  ): { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] };
}

/** Where the rules come from: a module with `createBatchRules(data)`. They run where the database is written. */
export interface BatchRulesSource {
  readonly module: string;
  readonly data: unknown;
}

export interface BatchStore {
  /**
   * Loads, decides and applies a batch in one transaction, durable when this resolves. Rejects when nothing was done, or
   * nobody knows whether it was (`storage_unavailable`).
   */
  run(operations: readonly unknown[]): Promise<readonly Outcome[]>;
}

export interface RecordStore {
  /** Makes the indexes that these collections need and drops those that none needs any more. */
  prepare(collections: readonly DeclaredIndexes[]): Promise<void>;
  find(collection: string, id: string): Promise<StoredRecord | null>;
  list(query: RecordQuery): Promise<readonly StoredRecord[]>;
  /** How many bytes the bodies have that the same list would have. */
  sizes(query: RecordQuery): Promise<readonly number[]>;
  /**
   * The place of the record so many further on, whatever the list is filtered by besides what an index leads to (what it
   * is sorted by, and of everybody's its state): what is looked through on the way to it. Null when there are fewer.
   */
  placeAfter(query: RecordQuery, count: number): Promise<Place | null>;
  /** Whether a collection still has records last changed at that time or before, which a list has to pass over. */
  hasExpired(collection: string, changedBefore: number): Promise<boolean>;
  /** Of one owner, by collection. */
  usage(owner: string): Promise<ReadonlyMap<string, Usage>>;
  /** Of one owner, in the order of collection, time of creation and id. */
  ofOwner(owner: string, after: StoredRecord | null, limit: number): Promise<readonly StoredRecord[]>;
  /** Of one collection, in the order of ids. */
  ofCollection(collection: string, afterId: string, limit: number): Promise<readonly StoredRecord[]>;
  /** How many records there are of each collection and state; a state is null where the collection has none. */
  counts(): Promise<
    readonly { readonly collection: string; readonly state: string | null; readonly count: number }[]
  >;
  /** Deletes up to `limit` records of a collection last changed at that time or before; answers with their number. */
  expire(collection: string, changedBefore: number, limit: number): Promise<number>;
  /** Forgets idempotency keys that expired; answers with their number. */
  expireIdempotencyKeys(now: number): Promise<number>;
  /** Who wrote most records, most first. */
  top(
    limit: number,
  ): Promise<readonly { readonly owner: string; readonly records: number; readonly bytes: number }[]>;
  /** Forgets what erased callers had spent of budgets whose windows have ended; answers with the number of lines. */
  expireSpentBudgets(now: number): Promise<number>;
  /**
   * Everything about a caller, itself included, in one transaction; null when there was nothing at all. All that may stay
   * is what it had spent, when `budgets` are given.
   */
  erase(owner: string, audit: AuditEntry | null, budgets?: ErasedBudgets): Promise<Erased | null>;
  /** Whether erased callers may have left copies between the lines of the database's files. */
  isScrubDue(): Promise<boolean>;
  /**
   * Removes them; nothing to do when nobody was erased since the last time. Takes as long as the database is large
   * (SQLite: 7 to 20 ms for each megabyte), and writes wait meanwhile: `quickly` leaves a large one as it is.
   */
  scrub(extent?: 'quickly' | 'whatever it takes'): Promise<void>;
}
