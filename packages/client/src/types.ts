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
  /** The body of PUT, where it is not that of POST. */
  replace?: object;
  /** By action, what it takes; actions without input are not in it. */
  input?: object;
  /** What callers can be in a record of several people. */
  role?: string;
  /** The roles that invitations lead to. */
  invited?: string;
  filter: object;
  sort: string;
  /** By call, the codes that it can be refused with. Calls that only some collections have are missing where they are not. */
  problem: Record<Call, string> & { [call in SomeCall]?: string };
}

export type Call = 'list' | 'get' | 'create' | 'update' | 'replace' | 'remove' | 'act';
export type SomeCall = keyof SomeCalls<CollectionTypes>;

// biome-ignore lint/suspicious/noExplicitAny: where no types are given, everything is let through.
type Anything = Record<string, any>;

/** A collection of which nothing is known. */
export interface UntypedCollection {
  record: Anything;
  create: Anything;
  update: Anything;
  state: string;
  action: string;
  replace: Anything;
  input: Record<string, Anything>;
  role: string;
  invited: string;
  filter: Anything;
  sort: string;
  problem: Record<Call | SomeCall, string>;
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
  /**
   * Which records of the page the caller gets events of: null = all of them, `named` = all of them by a stream that names
   * the collection, `in=issues/ID` = all of them by a stream that asks for what is under that record, `own` = only its
   * own, `none` = no record.
   */
  readonly eventsScope: 'named' | `in=${string}` | 'own' | 'none' | null;
}

export interface Calls<T extends CollectionTypes> {
  /** All records, page by page as they are asked for. */
  list(query?: Query<T>, options?: CallOptions): AsyncGenerator<T['record'], void, void>;
  page(
    query?: Query<T> & { readonly cursor?: string | null | undefined },
    options?: CallOptions,
  ): Promise<Page<T['record']>>;
  /** How many records `list` would give. Not for lists of everybody's records. */
  count(query?: T['filter'], options?: CallOptions): Promise<Count>;
  get(id: string, options?: CallOptions): Promise<T['record']>;
  /** Safe to repeat: sent as often as it takes, there is one record. */
  create(fields: T['create'], options?: CreateOptions): Promise<T['record']>;
  /** A merge patch, or a function that makes one from the current record. The function runs again after a conflict. */
  update(
    id: string,
    change: T['update'] | ((record: T['record']) => T['update'] | Promise<T['update']>),
    options?: ChangeOptions,
  ): Promise<T['record']>;
  replace(
    id: string,
    fields: T extends { replace: infer Fields } ? Fields : T['create'],
    options?: ChangeOptions,
  ): Promise<T['record']>;
  remove(id: string, options?: ChangeOptions): Promise<void>;
  /**
   * Takes a record through an action; `bookings.submit(id)` is the same as `bookings.act(id, 'submit')`. Where the action has
   * input, that is the next argument: `items.act(id, 'lend', { due })`.
   */
  act<Action extends T['action']>(
    id: string,
    action: Action,
    ...more: ActionArguments<T, Action>
  ): Promise<T['record']>;
  /** The list, read again whenever an event tells of a change. */
  live(query?: Query<T>, options?: Pick<CallOptions, 'signal'>): Live<T['record']>;
  /** One record as a list of one; of none while there is no such record, or the caller cannot read it. */
  live(id: string, options?: Pick<CallOptions, 'signal'>): Live<T['record']>;
}

export type InputsOf<T> = T extends { input: infer Inputs extends object } ? Inputs : Record<never, never>;

/** What an action takes after the id: its input, where it has one, then options. Of several actions, all have input or none has. */
export type ActionArguments<T extends CollectionTypes, Action extends T['action']> = [
  Action & keyof InputsOf<T>,
] extends [never]
  ? [options?: ChangeOptions]
  : [Action] extends [keyof InputsOf<T>]
    ? InputArguments<InputsOf<T>[Action]>
    : [input: never];

/** Where a field is called like an option, the input alone could be taken for options: then these have to be given, too. */
type InputArguments<Input> = string extends keyof Input
  ? [input?: Input, options?: ChangeOptions]
  : keyof ChangeOptions & keyof Input extends never
    ? Record<never, never> extends Input
      ? [input?: Input, options?: ChangeOptions]
      : [input: Input, options?: ChangeOptions]
    : [input: Input, options: ChangeOptions];

export interface InvitationRequest<Role extends string> {
  readonly role: Role;
  /** How many people it admits: 1 unless it is given, 100 at most. */
  readonly uses?: number | undefined;
  /** A duration such as `12h`; `7d` unless it is given, `30d` at most. */
  readonly expires_in?: string | undefined;
}

/** An open invitation. */
export interface Invitation<Role extends string = string> {
  readonly id: string;
  readonly role: Role;
  readonly uses_left: number;
  readonly expires_at: string;
}

/** A new invitation: nothing else ever shows its code. In a link it belongs behind `#`, where no server sees it. */
export interface NewInvitation<Role extends string = string> {
  readonly id: string;
  readonly role: Role;
  readonly uses: number;
  readonly expires_at: string;
  readonly code: string;
}

export interface Member<Role extends string = string> {
  /** How people see each other in this record. */
  readonly alias: string;
  readonly role: Role;
  readonly since: string;
  readonly is_me: boolean;
}

type RoleOf<T> = T extends { role: infer Role extends string } ? Role : string;
type InvitedOf<T> = T extends { invited: infer Role extends string } ? Role : string;

/** How many records a list has: exactly, or at least so many where no more were looked at. */
export type Count =
  | { readonly count: number; readonly at_least?: undefined }
  | { readonly count?: undefined; readonly at_least: number };

export interface HistoryStep<T extends CollectionTypes> {
  readonly at: string;
  /** `moved_up`: the record took a place that was free. */
  readonly action: T['action'] | 'create' | 'update' | 'moved_up';
  /** Null: there are no states, or there was no record yet. */
  readonly from: T['state'] | null;
  readonly to: T['state'] | null;
  /** The role by which it was allowed; null: the record moved by itself. */
  readonly by: RoleOf<T> | 'client' | 'everyone' | null;
}

/** The calls that only some collections have: members and invitations, and the history of a record. */
export interface SomeCalls<T extends CollectionTypes> {
  /** What happened to a record, oldest first, page by page as it is asked for. */
  history(id: string, options?: CallOptions): AsyncGenerator<HistoryStep<T>, void, void>;
  /** All members, page by page as they are asked for; the owner is the first. */
  members(id: string, options?: CallOptions): AsyncGenerator<Member<RoleOf<T>>, void, void>;
  invite<Role extends InvitedOf<T>>(
    id: string,
    invitation: InvitationRequest<Role>,
    options?: CallOptions,
  ): Promise<NewInvitation<Role>>;
  invitations(id: string, options?: CallOptions): Promise<readonly Invitation<InvitedOf<T>>[]>;
  endInvitation(id: string, invitation: string, options?: CallOptions): Promise<void>;
  /** Gives a member another role. Also ends all open invitations of the record. */
  changeMember(
    id: string,
    alias: string,
    change: { readonly role: Exclude<InvitedOf<T>, 'owner'> },
    options?: CallOptions,
  ): Promise<void>;
  /** Also ends all open invitations of the record. */
  removeMember(id: string, alias: string, options?: CallOptions): Promise<void>;
  /** The caller gives up its role. */
  leave(id: string, options?: CallOptions): Promise<void>;
}

/** What the caller has become by accepting an invitation. */
export type Accepted<C extends { [name in keyof C]: CollectionTypes }> = {
  [name in keyof C]: C[name] extends { invited: infer Role }
    ? { readonly collection: name; readonly role: Role; readonly record: C[name]['record'] }
    : never;
}[keyof C];

export type Collection<T extends CollectionTypes> = Calls<T> &
  Pick<SomeCalls<T>, SomeCall & keyof T['problem']> & {
    readonly [action in Exclude<T['action'], keyof Calls<T> | SomeCall>]: (
      id: string,
      ...more: ActionArguments<T, action>
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

export interface NamedEvents extends Events {
  /**
   * The same for one collection, by a stream that names it: that one also tells of records which everyone can read. It is
   * another stream because to name a collection is to leave out all others.
   */
  of(collection: string | Selection): Events;
}

/** The events of a stream of its own. */
export interface Selection {
  /** Only of these collections, also of their records that everyone can read. All collections unless it is given. */
  readonly collections?: readonly string[] | undefined;
  /** Also what everyone can read under these records, such as `issues/ID`: 20 at most. */
  readonly in?: readonly string[] | undefined;
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

/** A line of the export. The last one, which counts the records, is held against them and not passed on. */
export type ExportLine =
  | {
      readonly type: 'consumer';
      readonly id: string;
      readonly kind: string;
      readonly registered_at: string;
    }
  | { readonly type: 'record'; readonly collection: string; readonly record: Readonly<Anything> }
  /** A role in a record of another owner; `record` is its id. */
  | {
      readonly type: 'membership';
      readonly collection: string;
      readonly record: string;
      readonly role: string;
      readonly since: string;
    }
  | ({ readonly type: 'invitation'; readonly collection: string; readonly record: string } & Invitation);
