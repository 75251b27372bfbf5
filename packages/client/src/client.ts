import { type Checked, type Outcome, runBatch, type Sent, type Verb } from './batch.ts';
import { createCollection } from './collection.ts';
import { type ClientOptions, connect } from './connection.ts';
import { createEvents } from './events.ts';
import { exportAll } from './export.ts';
import { named, nameForm } from './names.ts';
import type {
  Accepted,
  CallOptions,
  Collection,
  CollectionTypes,
  CreateOptions,
  ExportLine,
  Invited,
  Me,
  NamedEvents,
  Receipt,
  Untyped,
  Usage,
} from './types.ts';

export interface Client<C extends { [name in keyof C]: CollectionTypes }> {
  readonly collections: { readonly [name in keyof C]: Collection<C[name]> };
  /** A collection whose name is known only at run time. */
  collection<Name extends keyof C & string>(name: Name): Collection<C[Name]>;
  readonly events: NamedEvents;
  /** The declared collections, with their schemas and rules. Needs no token. */
  overview(options?: CallOptions): Promise<Overview>;
  me(options?: CallOptions): Promise<Me>;
  usage(options?: CallOptions): Promise<Usage>;
  /** What the code of an invitation leads to. */
  preview(code: string, options?: CallOptions): Promise<Invited<C>>;
  /** The caller takes the role that the code of an invitation is for. */
  accept(code: string, options?: CallOptions): Promise<Accepted<C>>;
  /**
   * Up to 50 operations, all or nothing, in their order. Answers with the record of each. Safe to repeat. If one is refused, the
   * `index` of the problem says which, and `cause` is its own problem.
   */
  batch<const Operations extends readonly Verb<C>[]>(
    operations: {
      readonly [i in keyof Operations]: Operations[i] extends Verb<C>
        ? Checked<C, Operations[i]>
        : Operations[i];
    },
    options?: CreateOptions,
  ): Promise<{ -readonly [i in keyof Operations]: Outcome<C, Operations[i]> }>;
  /** Everything that is held about the caller, line by line. */
  export(options?: CallOptions): AsyncGenerator<ExportLine, void, void>;
  /** Erases everything that is held about the caller. Not repeated: a second request would count no records. */
  erase(options?: CallOptions): Promise<Receipt>;
}

export interface Overview {
  readonly collections: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly links: Readonly<Record<string, string>>;
}

/** The API of a service, as the caller of the token. */
export function createClient<C extends { [name in keyof C]: CollectionTypes } = Untyped>(
  options: ClientOptions,
): Client<C> {
  const connection = connect(options);
  const events = createEvents(connection);
  const made = Object.create(null);
  const collection = (name: string) => {
    made[name] ??= createCollection(connection, events, name);
    return made[name];
  };
  const get = (path: string) => (options?: CallOptions) => connection.send({ path }, options);
  return {
    collections: named(nameForm, collection),
    collection,
    events,
    overview: get(''),
    me: get('/me'),
    usage: get('/me/usage'),
    preview: (code: string, options?: CallOptions) =>
      connection.send({ method: 'POST', path: '/invitations/preview', body: { code } }, options),
    accept: (code: string, options?: CallOptions) =>
      connection.send({ method: 'POST', path: '/invitations', body: { code } }, options),
    batch: (operations: Sent[], options?: CreateOptions) => runBatch(connection, operations, options),
    export: (options?: CallOptions) => exportAll(connection, options),
    erase: (options?: CallOptions) => connection.send({ method: 'DELETE', path: '/me' }, options),
  } as unknown as Client<C>;
}
