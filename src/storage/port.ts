/**
 * What the rest of the service may ask of a database. No driver and no SQL in here; SQLite and PostgreSQL answer
 * alike, and test/contract holds both to it. Times are milliseconds since 1970. When the database cannot answer,
 * every method rejects with the refusal `storage_unavailable`.
 */
export interface Storage {
  readonly clients: ClientStore;
  readonly consumers: ConsumerStore;
  readonly signingKeys: SigningKeyStore;
  readonly shelf: Shelf;
  readonly standing: StandingStore;
  /** Resolves when the database answers and its schema is the one this code was written for. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type ClientState = 'active' | 'disabled';

export interface Client {
  readonly id: string;
  readonly label: string;
  readonly state: ClientState;
  readonly createdAt: number;
}

export interface ClientSecret {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly createdAt: number;
}

export interface ClientWithSecrets extends Client {
  readonly secrets: readonly ClientSecret[];
}

export interface ClientStore {
  /** Adds a client with its first secret. False when the id is taken; then nothing changes. */
  add(client: Client, secret: ClientSecret): Promise<boolean>;
  find(id: string): Promise<ClientWithSecrets | null>;
  /** By time of creation, then by id. */
  list(): Promise<readonly Client[]>;
  /** False when there is no such client. */
  setState(id: string, state: ClientState): Promise<boolean>;
  /** Removes the client and its secrets. False when there is no such client. */
  remove(id: string): Promise<boolean>;
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
  /** The caller as it was first seen; first sight registers it. */
  register(id: string, kind: ConsumerKind, now: number): Promise<Consumer>;
  find(id: string): Promise<Consumer | null>;
  /** False when there is no such consumer. */
  setState(id: string, state: ConsumerState): Promise<boolean>;
}

/** Who is shut out, and who may come in as a client. */
export interface Standing {
  readonly suspendedConsumers: readonly string[];
  readonly activeClients: readonly Pick<Client, 'id' | 'createdAt'>[];
}

export interface StandingStore {
  read(): Promise<Standing>;
  /**
   * Calls back soon after anybody, in this process or another, may have changed the standing, and after a time
   * without a connection. May call back for nothing. The returned function ends it.
   */
  watch(onChange: () => void): Promise<() => Promise<void>>;
}

/** Small documents by name, each with a checksum that only whoever has the master secret can make. */
export interface Shelf {
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
}

export interface SigningKeyStore {
  /** By time of creation, oldest first. */
  list(): Promise<readonly SigningKeyRecord[]>;
  /** Adds the key unless there is one already: of several processes that start at once, one wins. */
  addFirst(key: SigningKeyRecord): Promise<void>;
}
