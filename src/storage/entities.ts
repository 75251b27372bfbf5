/** An entry of the audit. Never holds a secret or an address. */
export interface AuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly node: string;
  readonly action: string;
  /** The client, key or caller that was changed. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Creates the entries of one actor on one machine. */
export type AuditLine = (action: string, subject: string, details?: AuditEntry['details']) => AuditEntry;

export type ConsumerKind = 'user' | 'client';
export type ConsumerState = 'active' | 'suspended';

export interface Erasure {
  /** A database with this id has already applied the erasure. */
  readonly id: string;
  /** A keyed digest of the pseudonym. */
  readonly digest: Uint8Array;
  readonly at: number;
}

export interface ErasureNotes {
  digestOf(owner: string): Uint8Array;
  /** The topic by which the caller's streams learned of role changes. */
  topicOf(owner: string): string;
  /** Resolves once it is on disk. The erasure is committed only then. */
  append(erasure: Erasure): Promise<void>;
}

export interface ErasureStore {
  /** Erasures of this database, by id. */
  list(afterId: string, limit: number): Promise<readonly Erasure[]>;
  /** Adds erasures of callers that are not in this database. */
  add(erasures: readonly Erasure[]): Promise<void>;
  /** The pseudonyms of all callers with data, in order. */
  owners(after: string, limit: number): Promise<readonly string[]>;
}
