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
  /** A new id, in collections where the client may choose it. */
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

/** The members that tell operations apart. */
export type Verb<C> =
  | { readonly create: Name<C> }
  | { readonly update: Name<C> }
  | { readonly delete: Name<C> }
  | { readonly act: string; readonly in: Name<C> };

/** The exact type of an operation, from its verb and its collection. Members that are not declared do not compile. */
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
 * The record after an operation. Undefined after a deletion; and after a repeated request, if the record was deleted meanwhile or
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

/** Sends all operations in one request. It is safe to repeat: the service does them once or not at all. */
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
  return results.map(({ record, etag }) => record && withVersion(record, etag));
}

/** An idempotency key: the service does the request once, even if it arrives several times. */
export function doneOnce(options?: CreateOptions) {
  const key = options?.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4));
  return { headers: { 'idempotency-key': `${key}` }, mayRepeat: true };
}
