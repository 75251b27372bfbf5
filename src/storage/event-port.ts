/** Something that happened to a record or a consumer, before it has its place in the log. */
export interface NewEvent {
  readonly at: number;
  /** Such as `notes.created`. */
  readonly type: string;
  /** Null where it is about no record. */
  readonly collection: string | null;
  readonly recordId: string | null;
  /** Whose record it was, or who was erased. */
  readonly owner: string;
  /** What is told of it to everybody who may know, in JSON: an object. */
  readonly data: string;
}

/** An event of the log. */
export interface StoredEvent extends NewEvent {
  /**
   * Its place. Whoever has seen an event has been able to see all with lower positions: they are given within the commit
   * of what they tell, by one transaction at a time. The next is one higher, until somebody is erased or it is too old.
   */
  readonly position: number;
}

export interface EventQuery {
  readonly after: number;
  /** And no further than this. */
  readonly until: number;
  /** Only of this owner; null: everybody's. */
  readonly owner: string | null;
  readonly limit: number;
}

/** The log of what happened. It is written by the transactions that do what it tells of: `BatchChanges.events` and others. */
export interface EventStore {
  /** The lowest and the highest position that are kept; both 0 before anything has happened. */
  extent(): Promise<{ readonly first: number; readonly last: number }>;
  /**
   * Whether the log has all that a reader at a position has seen. Not when a backup was restored since that did not go as far.
   * `last` is the highest position.
   */
  hasGivenUpTo(position: number, last: number): Promise<boolean>;
  /** Goes on far above all positions that were ever given, after a backup was restored: none is given twice. */
  leap(at: number): Promise<void>;
  /** In the order of positions. */
  list(query: EventQuery): Promise<readonly StoredEvent[]>;
  /**
   * Deletes up to `limit` of the oldest that happened before a time, or in a time to come by a clock that was wrong; answers with
   * their number. Of the last one only the position stays.
   */
  prune(times: { readonly before: number; readonly ahead: number }, limit: number): Promise<number>;
  /**
   * Calls back soon after this process or another has appended something, mostly. What is missed costs whoever also asks
   * from time to time no event. The returned function ends it.
   */
  watch(onAppended: () => void): Promise<() => Promise<void>>;
}
