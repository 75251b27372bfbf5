/** What `vestibule types` writes down of a collection. */
export interface CollectionTypes {
  /** As it is read. */
  record: object;
  /** The body of POST, and of PUT. */
  create: object;
  /** The body of PATCH: null takes an optional field away. */
  update: object;
  state: string;
  action: string;
  filter: object;
  sort: string;
  problem: Record<Call, string>;
}

export type Call = 'list' | 'get' | 'create' | 'update' | 'replace' | 'remove' | 'act';

// biome-ignore lint/suspicious/noExplicitAny: where no types are given, everything is let through.
type Anything = Record<string, any>;

/** A collection of which nothing is known. */
export interface UntypedCollection {
  record: Anything;
  create: Anything;
  update: Anything;
  state: string;
  action: string;
  filter: Anything;
  sort: string;
  problem: Record<Call, string>;
}

/** What `createClient` works with where it is given no types: any name is a collection. */
export type Untyped = Record<string, UntypedCollection>;

export interface CallOptions {
  /** Ends the call, wherever it is. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take with all its tries; 30 unless the client says otherwise. */
  readonly deadlineSeconds?: number | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Made for each call unless it is given: with one that is kept, a call can be repeated even after a reload. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The version that is to be changed: a record that the client answered with, its ETag, or `*` for any. */
  readonly ifMatch?: object | string | undefined;
}

export type Query<T extends CollectionTypes> = T['filter'] & {
  readonly sort?: T['sort'] | undefined;
  /** Of a page: how many at most (200). Of `list`: how many are fetched at a time. Of `live`: how many are shown. */
  readonly limit?: number | undefined;
};

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null when there is none. */
  readonly next: string | null;
  /** Up to this position of the log of events the page has everything. */
  readonly position: number | null;
  /** Which records of the page the caller gets events of: null = all of them, `own` = only its own, `none` = no record. */
  readonly eventsScope: 'own' | 'none' | null;
}

export interface Calls<T extends CollectionTypes> {
  /** All records, page by page as they are asked for. */
  list(query?: Query<T>, options?: CallOptions): AsyncGenerator<T['record'], void, void>;
  page(
    query?: Query<T> & { readonly cursor?: string | null | undefined },
    options?: CallOptions,
  ): Promise<Page<T['record']>>;
  get(id: string, options?: CallOptions): Promise<T['record']>;
  /** Safe to repeat: sent as often as it takes, there is one record. */
  create(fields: T['create'], options?: CreateOptions): Promise<T['record']>;
  /**
   * A merge patch, or a function that makes one of the record as it is. The function runs again when somebody
   * else was faster.
   */
  update(
    id: string,
    change: T['update'] | ((record: T['record']) => T['update'] | Promise<T['update']>),
    options?: ChangeOptions,
  ): Promise<T['record']>;
  replace(id: string, fields: T['create'], options?: ChangeOptions): Promise<T['record']>;
  remove(id: string, options?: ChangeOptions): Promise<void>;
  /** Takes a record through an action; `bookings.submit(id)` is the same as `bookings.act(id, 'submit')`. */
  act(id: string, action: T['action'], options?: ChangeOptions): Promise<T['record']>;
  /** The list, read again whenever an event tells of a change. */
  live(query?: Query<T>, options?: Pick<CallOptions, 'signal'>): Live<T['record']>;
}

export type Collection<T extends CollectionTypes> = Calls<T> & {
  readonly [action in Exclude<T['action'], keyof Calls<T>>]: (
    id: string,
    options?: ChangeOptions,
  ) => Promise<T['record']>;
};

export type LiveStatus = 'off' | 'connecting' | 'live' | 'polling' | 'lost' | 'ended';

/** A list that follows what happens. Each turn of `for await` is the whole list as it is then. */
export interface Live<Item> extends AsyncIterable<readonly Item[]> {
  /** Null until the list was read for the first time. */
  readonly items: readonly Item[] | null;
  /** `own`: the stream is live, and tells of the caller's own records only. `none`: the collection has no events. */
  readonly status: LiveStatus | 'own' | 'none';
  /** Why it has ended; null while it has not. */
  readonly error: unknown;
  /** Calls when any of these have changed. The returned function ends it. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

export interface RecordEvent {
  /** Its place in the log. */
  readonly position: number;
  /** Such as `notes.created`, or `bookings.approved` for the state that an action led to. */
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly id: string;
    readonly collection: string;
    readonly revision: string;
    readonly state: string | null;
    readonly [member: string]: unknown;
  };
}

/** Who wants to hear what happens. */
export interface Listener {
  /** Of this collection only. */
  readonly collection?: string | undefined;
  /** Up to this position it has everything; null: that is not known. Then, or where the stream is past it, `missed` is called. */
  readonly after: number | null;
  hear(event: RecordEvent): void;
  /** Anything may have happened: read anew. */
  missed(): void;
}

/** What happens to the caller's records: one stream for everybody who listens, in all tabs. */
export interface Events {
  readonly status: LiveStatus;
  /** Why it has ended: a code. */
  readonly reason: string | null;
  /** The returned function ends it. */
  listen(listener: Listener): () => void;
  /** Calls when the status has changed. The returned function ends it. */
  watch(watcher: () => void): () => void;
  /** Gives the stream back until `resume`, which goes on where it was. */
  pause(): void;
  /** Also tries at once what waits to be tried again. */
  resume(): void;
}

export interface Me {
  /** Null for a caller that the token does not name: nothing is kept about it. */
  readonly id: string | null;
  readonly kind: 'user' | 'client';
  readonly registered_at: string | null;
  readonly issuer: string;
  readonly subject: string | null;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly token: { readonly issued_at: string | null; readonly expires_at: string };
}

export interface Budget {
  readonly used: number;
  readonly allowed: number;
  readonly window_seconds: number;
  readonly resets_at: string;
}

export interface Usage {
  readonly collections: readonly {
    readonly name: string;
    readonly records: { readonly used: number; readonly allowed: number };
    readonly writes: Budget;
    readonly newcomer: (Budget & { readonly until: string }) | null;
  }[];
}

export interface Receipt {
  readonly erased_at: string;
  readonly records: Readonly<Record<string, number>>;
  readonly total: number;
  readonly idempotency_keys: number;
  readonly budgets_kept_until: string | null;
}

/** A line of the export. The last one, which counts the others, is held against them and not passed on. */
export type ExportLine =
  | {
      readonly type: 'consumer';
      readonly id: string;
      readonly kind: string;
      readonly registered_at: string;
    }
  | { readonly type: 'record'; readonly collection: string; readonly record: Readonly<Anything> };
