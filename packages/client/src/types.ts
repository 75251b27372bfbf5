/** The types of a collection, as `vestibule types` writes them. */
export interface CollectionTypes {
  /** A record as it is read. */
  record: object;
  /** The body of POST and PUT. */
  create: object;
  /** The body of PATCH: null takes an optional field away. */
  update: object;
  state: string;
  action: string;
  /** The body of PUT, if it differs from that of POST. */
  replace?: object;
  /** The input of each action that has one. */
  input?: object;
  /** The roles that a caller can have in a record of several people. */
  role?: string;
  /** The roles that invitations are for. */
  invited?: string;
  filter: object;
  sort: string;
  /** The codes of each call. A collection has those of the optional calls that are in it. */
  problem: Record<Call, string> & { [call in SomeCall]?: string };
}

export type Call = 'list' | 'count' | 'get' | 'create' | 'update' | 'replace' | 'remove' | 'act';
export type SomeCall = keyof SomeCalls<CollectionTypes>;

// biome-ignore lint/suspicious/noExplicitAny: where no types are given, everything is let through.
type Anything = Record<string, any>;

/** A collection without types. */
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

/** The default types of `createClient`: any name is a collection. */
export type Untyped = Record<string, UntypedCollection>;

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** The deadline of the call with all its tries; 30 unless the client has another one. */
  readonly deadlineSeconds?: number | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Made for each call by default. With a key that the page keeps, a call can be repeated even after a reload. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The version to change: a record that the client has answered with, its ETag, or `*` for any. */
  readonly ifMatch?: object | string | undefined;
}

export type Query<T extends CollectionTypes> = T['filter'] & {
  readonly sort?: T['sort'] | undefined;
  /** `page`: the most items (200 at most). `list`: items of one fetch. `live`: items shown. */
  readonly limit?: number | undefined;
};

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null when there is none. */
  readonly next: string | null;
  /** The position in the log of events up to which the page is complete. */
  readonly position: number | null;
  /**
   * The records of the page that the caller gets events of: null = all, `named` = all by a stream that names the collection,
   * `in=issues/ID` = all by a stream of what is under that record, `own` = only its own, `none` = none.
   */
  readonly eventsScope: 'named' | `in=${string}` | 'own' | 'none' | null;
}

export interface Calls<T extends CollectionTypes> {
  /** All records. Pages are read as they are needed. */
  list(query?: Query<T>, options?: CallOptions): AsyncGenerator<T['record'], void, void>;
  page(
    query?: Query<T> & { readonly cursor?: string | null | undefined },
    options?: CallOptions,
  ): Promise<Page<T['record']>>;
  /** Counts the records of a list. Not for lists of everybody's records. */
  count(query?: T['filter'], options?: CallOptions): Promise<Count>;
  get(id: string, options?: CallOptions): Promise<T['record']>;
  /** Safe to repeat: it makes one record, even if it is sent several times. */
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
   * Takes an action: `bookings.act(id, 'submit')` is the same as `bookings.submit(id)`. Input is the next argument:
   * `items.act(id, 'lend', { due })`.
   */
  act<Action extends T['action']>(
    id: string,
    action: Action,
    ...more: ActionArguments<T, Action>
  ): Promise<T['record']>;
  /** The list, read again after each event that changes it. */
  live(query?: Query<T>, options?: Pick<CallOptions, 'signal'>): Live<T['record']>;
  /** One record as a list of one; an empty list while there is no such record, or the caller cannot read it. */
  live(id: string, options?: Pick<CallOptions, 'signal'>): Live<T['record']>;
}

export type InputsOf<T> = T extends { input: infer Inputs extends object } ? Inputs : Record<never, never>;

/** The arguments after the id: the input if the action has one, then options. Of several actions, all have input or none has. */
export type ActionArguments<T extends CollectionTypes, Action extends T['action']> = [
  Action & keyof InputsOf<T>,
] extends [never]
  ? [options?: ChangeOptions]
  : [Action] extends [keyof InputsOf<T>]
    ? InputArguments<InputsOf<T>[Action]>
    : [input: never];

/** Options are required if a field has the name of an option: the input alone could be taken for options. */
type InputArguments<Input> = string extends keyof Input
  ? [input?: Input, options?: ChangeOptions]
  : keyof ChangeOptions & keyof Input extends never
    ? Record<never, never> extends Input
      ? [input?: Input, options?: ChangeOptions]
      : [input: Input, options?: ChangeOptions]
    : [input: Input, options: ChangeOptions];

export interface InvitationRequest<Role extends string> {
  readonly role: Role;
  /** How many people it admits: 1 by default, at most 100. */
  readonly uses?: number | undefined;
  /** A duration such as `12h`: `7d` by default, at most `30d`. */
  readonly expires_in?: string | undefined;
}

/** An open invitation. */
export interface Invitation<Role extends string = string> {
  readonly id: string;
  readonly role: Role;
  readonly uses_left: number;
  readonly expires_at: string;
}

/** A new invitation. Its code is shown this once. In a link it belongs behind `#`, where no server sees it. */
export interface NewInvitation<Role extends string = string> {
  readonly id: string;
  readonly role: Role;
  readonly uses: number;
  readonly expires_at: string;
  readonly code: string;
}

export interface Member<Role extends string = string> {
  /** The name of the person in this record. */
  readonly alias: string;
  readonly role: Role;
  readonly since: string;
  readonly is_me: boolean;
}

type RoleOf<T> = T extends { role: infer Role extends string } ? Role : string;
type InvitedOf<T> = T extends { invited: infer Role extends string } ? Role : string;

/** The number of records; `at_least` if the service stopped counting there. */
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
  /** The role that allowed it; null: the service moved the record. */
  readonly by: RoleOf<T> | 'client' | 'everyone' | null;
}

/** The calls that only some collections have: members and invitations, and the history of a record. */
export interface SomeCalls<T extends CollectionTypes> {
  /** What happened to a record, oldest first. Pages are read as they are needed. */
  history(id: string, options?: CallOptions): AsyncGenerator<HistoryStep<T>, void, void>;
  /** All members, the owner first. Pages are read as they are needed. */
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

/** What an invitation leads to. */
export type Invited<C extends { [name in keyof C]: CollectionTypes }> = {
  [name in keyof C]: C[name] extends { invited: infer Role }
    ? { readonly collection: name; readonly role: Role; readonly expires_at: string }
    : never;
}[keyof C];

/** The role that the caller has after it accepted an invitation, and the record. */
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

/** A list that stays up to date. Each turn of `for await` gives the whole current list. */
export interface Live<Item> extends AsyncIterable<readonly Item[]> {
  /** Null until the list was read for the first time. */
  readonly items: readonly Item[] | null;
  /** `own`: the stream is live and has events of the caller's own records only. `none`: the collection has no events. */
  readonly status: LiveStatus | 'own' | 'none';
  /** Why it has ended; null until then. */
  readonly error: unknown;
  /** Calls the listener after each change of these. The returned function removes it. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

export interface RecordEvent {
  /** The position in the log. */
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

/** A listener for events. */
export interface Listener {
  /** Only events of this collection. */
  readonly collection?: string | undefined;
  /** The position up to which the listener has all events; null: not known. `missed` is called then, or if the stream has passed it. */
  readonly after: number | null;
  hear(event: RecordEvent): void;
  /** Events were missed: read again. */
  missed(): void;
}

/** The events of the caller's records: one stream for all listeners in all tabs. */
export interface Events {
  readonly status: LiveStatus;
  /** The code with which it has ended. */
  readonly reason: string | null;
  /** The returned function removes the listener. */
  listen(listener: Listener): () => void;
  /** Calls the watcher after each change of the status. The returned function removes it. */
  watch(watcher: () => void): () => void;
  /** Closes the stream until `resume`, which continues from the same position. */
  pause(): void;
  /** Also ends the backoff of a reconnect. */
  resume(): void;
}

export interface NamedEvents extends Events {
  /**
   * The events of one collection, by a stream of its own that names it. It also has events of records that everyone can read, and
   * none of other collections.
   */
  of(collection: string | Selection): Events;
}

/** The events of a stream of its own. */
export interface Selection {
  /** Only these collections, with their records that everyone can read. All collections by default. */
  readonly collections?: readonly string[] | undefined;
  /** Also records that everyone can read under these, such as `issues/ID`: at most 20. */
  readonly in?: readonly string[] | undefined;
}

export interface Me {
  /** Null if the token has no subject: nothing is kept about the caller. */
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

/** A line of the export. The last line, which counts the records, is checked and not passed on. */
export type ExportLine =
  | {
      readonly type: 'consumer';
      readonly id: string;
      readonly kind: string;
      readonly registered_at: string;
    }
  | { readonly type: 'record'; readonly collection: string; readonly record: Readonly<Anything> }
  /** What happened to a record, oldest first; `record` is its id. */
  | {
      readonly type: 'history';
      readonly collection: string;
      readonly record: string;
      readonly items: readonly HistoryStep<UntypedCollection>[];
    }
  /** A role in a record of another owner; `record` is its id. */
  | {
      readonly type: 'membership';
      readonly collection: string;
      readonly record: string;
      readonly role: string;
      readonly since: string;
    }
  | ({ readonly type: 'invitation'; readonly collection: string; readonly record: string } & Invitation);
