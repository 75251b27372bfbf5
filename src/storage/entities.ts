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

/** That a caller was erased. */
export interface Erasure {
  /** Of this one erasure: a database that has it has done it, and whoever came back since stays. */
  readonly id: string;
  /** Of the pseudonym, with a key of the master secret: it leads back to nobody. */
  readonly digest: Uint8Array;
  readonly at: number;
}

/** Where it is noted outside of the database that a caller is erased. The storage has neither the key nor the file. */
export interface ErasureNotes {
  digestOf(owner: string): Uint8Array;
  /** Resolves when it is on the disk. The erasure is committed only then. */
  append(erasure: Erasure): Promise<void>;
}

export interface ErasureStore {
  /** Those that this database has done, in the order of ids. */
  list(afterId: string, limit: number): Promise<readonly Erasure[]>;
  /** Notes those that found nobody here. */
  add(erasures: readonly Erasure[]): Promise<void>;
  /** The pseudonyms of all of whom anything is held, in their order. */
  owners(after: string, limit: number): Promise<readonly string[]>;
}
