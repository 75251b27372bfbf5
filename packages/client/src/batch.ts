import type { Connection } from './connection.ts';
import type { CollectionTypes, CreateOptions, InputsOf } from './types.ts';
import { etagFrom, withVersion } from './versions.ts';

type AllTypes<C> = { [name in keyof C]: CollectionTypes };
type Name<C> = keyof C & string;

/** The version that is to be changed: a record that the client answered with, or its ETag. */
interface Versioned {
  readonly ifMatch?: object | string | undefined;
}

interface CreateIn<N extends string, T extends CollectionTypes> {
  readonly create: N;
  /** Where ids can be chosen: one that no record has. */
  readonly id?: string | undefined;
  readonly fields: T['create'];
}

interface UpdateIn<N extends string, T extends CollectionTypes> extends Versioned {
  readonly update: N;
  readonly id: string;
  /** A merge patch. */
  readonly fields: T['update'];
}

interface DeleteIn<N extends string> extends Versioned {
  readonly delete: N;
  readonly id: string;
}

interface ActIn<N extends string, Action extends string> extends Versioned {
  readonly act: Action;
  readonly in: N;
  readonly id: string;
}

type InputFor<T, Action> = Action extends keyof InputsOf<T>
  ? Record<never, never> extends InputsOf<T>[Action]
    ? { readonly input?: InputsOf<T>[Action] | undefined }
    : { readonly input: InputsOf<T>[Action] }
  : { readonly input?: undefined };

/** Each action with its own input. */
type Act<
  N extends string,
  T extends CollectionTypes,
  Action extends string = T['action'],
> = Action extends string ? ActIn<N, Action> & InputFor<T, Action> : never;

/** One operation of a batch. */
export type Operation<C extends AllTypes<C>> = {
  [N in Name<C>]: CreateIn<N, C[N]> | UpdateIn<N, C[N]> | DeleteIn<N> | Act<N, C[N]>;
}[Name<C>];

/** What says which operation it is. */
export type Verb<C> =
  | { readonly create: Name<C> }
  | { readonly update: Name<C> }
  | { readonly delete: Name<C> }
  | { readonly act: string; readonly in: Name<C> };

/** What an operation has to be, by its verb and its collection: a member that is not declared does not compile. */
export type Checked<C extends AllTypes<C>, One> = One extends { create: infer N extends Name<C> }
  ? CreateIn<N, C[N]>
  : One extends { update: infer N extends Name<C> }
    ? UpdateIn<N, C[N]>
    : One extends { delete: infer N extends Name<C> }
      ? DeleteIn<N>
      : One extends { in: infer N extends Name<C> }
        ? Act<N, C[N]>
        : One;

/**
 * What is left of it: nothing of a deletion, and of an earlier try of the same call nothing where the record is gone since, or
 * the caller cannot read it any more.
 */
export type Outcome<C extends AllTypes<C>, One> =
  | (One extends { create: infer N } | { update: infer N } | { in: infer N }
      ? N extends keyof C
        ? C[N]['record']
        : never
      : never)
  | undefined;

export interface Sent extends Versioned {
  readonly [member: string]: unknown;
}

interface Answer {
  readonly results: readonly { readonly etag?: string; readonly record?: object }[];
}

/** All operations in one request, which is safe to repeat: they are done once, or not at all. */
export async function runBatch(
  connection: Connection,
  operations: readonly Sent[],
  options?: CreateOptions,
): Promise<readonly (object | undefined)[]> {
  const body = {
    operations: operations.map(({ ifMatch, ...operation }) => ({
      ...operation,
      if_match: etagFrom(ifMatch),
    })),
  };
  const request = { method: 'POST', path: '/batch', body, ...doneOnce(options) };
  const { results } = await connection.send<Answer>(request, options);
  return results.map(({ record, etag = null }) => record && withVersion(record, etag));
}

/** The service does a request with such a key once, however often it comes. */
export function doneOnce(options?: CreateOptions) {
  const key = options?.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4));
  return { headers: { 'idempotency-key': `${key}` }, mayRepeat: true };
}
