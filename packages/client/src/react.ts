'use client';

import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { Live } from './types.ts';

/** The part of a collection that the hooks use. */
interface Readable {
  get(id: string): Promise<object>;
  list(query?: never): AsyncIterable<object>;
  live(asked: never): Live<object>;
}

type RecordOf<C extends Readable> = Awaited<ReturnType<C['get']>>;

interface Shown {
  readonly status: Live<unknown>['status'];
  /** Why it is not kept up to date any more; null until then. */
  readonly error: Error | null;
}

export interface ShownList<Item> extends Shown {
  /** Null until the list was read for the first time. */
  readonly items: readonly Item[] | null;
}

export interface ShownRecord<Item> extends Shown {
  /** Undefined until the record was read for the first time; null if there is none that the caller can read. */
  readonly record: Item | null | undefined;
}

/**
 * A list that is kept up to date while the component is mounted. All components that ask for the same list share it. The
 * query is compared by its content; null reads nothing.
 */
export function useList<C extends Readable>(
  collection: C,
  query: Parameters<C['list']>[0] | null = {} as never,
): ShownList<RecordOf<C>> {
  return useLive(collection, query) as ShownList<RecordOf<C>>;
}

/** One record that is kept up to date while the component is mounted. Without an id nothing is read. */
export function useRecord<C extends Readable>(
  collection: C,
  id: string | null | undefined,
): ShownRecord<RecordOf<C>> {
  const { items, ...shown } = useLive(collection, id ?? null) as ShownList<RecordOf<C>>;
  return { record: items ? (items[0] ?? null) : undefined, ...shown };
}

export interface ShownAction<Given extends readonly unknown[], Result> {
  /** Never rejects: it answers with undefined and sets `error` instead. It is not aborted when the component is unmounted. */
  readonly run: (...given: Given) => Promise<Result | undefined>;
  readonly isPending: boolean;
  /** Why the last run has failed. The next run sets it to null. */
  readonly error: Error | null;
}

/** Runs a function, such as a call of a collection, with its state for the component. */
export function useAction<Given extends readonly unknown[], Result>(
  action: (...given: Given) => Promise<Result>,
): ShownAction<Given, Result> {
  const [{ pending, error }, setState] = useState({ pending: 0, error: null as Error | null });
  const run = useCallback(
    async (...given: Given) => {
      let failure: Error | null = null;
      setState(({ pending }) => ({ pending: pending + 1, error: null }));
      try {
        return await action(...given);
      } catch (reason) {
        failure = errorOf(reason);
      } finally {
        setState(({ pending, error }) => ({ pending: pending - 1, error: failure ?? error }));
      }
      return undefined;
    },
    [action],
  );
  return { run, isPending: pending > 0, error };
}

/** A live list with the components that show it. */
interface Entry {
  live: Live<object>;
  /** Another object after each change and only then, so that all components of a rendering get the same one. */
  shown: ShownList<object>;
  readonly components: Set<() => void>;
}

/** By collection, then by the query or id as JSON. */
const entries = new WeakMap<object, Map<string, Entry>>();
const nothing: ShownList<never> = { items: null, status: 'off', error: null };

function useLive(collection: Readable, asked: object | string | null): ShownList<object> {
  const key = JSON.stringify(asked);
  const { subscribe, read } = useMemo(() => storeOf(collection, key), [collection, key]);
  return useSyncExternalStore(subscribe, read, () => nothing);
}

/** Opens the list when the first component is mounted, and closes it after the last one is unmounted. */
function storeOf(collection: Readable, key: string) {
  const opened = entries.get(collection) ?? new Map<string, Entry>();
  entries.set(collection, opened);

  const open = (components: Entry['components']): Entry => {
    const live = collection.live(JSON.parse(key) as never);
    const entry = { live, shown: nothing as ShownList<object>, components };
    live.subscribe(() => {
      entry.shown = { items: live.items, status: live.status, error: errorOf(live.error) };
      for (const changed of [...components]) changed();
    });
    opened.set(key, entry);
    return entry;
  };

  return {
    read: () => opened.get(key)?.shown ?? nothing,
    subscribe(changed: () => void) {
      if (key === 'null') return () => {};
      const { live, components } = opened.get(key) ?? open(new Set());
      // A list that has ended with an error is opened again for a component that is mounted later.
      if (live.error) open(components);
      components.add(changed);
      return () => {
        components.delete(changed);
        // React mounts new components in the same turn: they get the present list.
        queueMicrotask(() => {
          const entry = opened.get(key);
          if (components.size || entry?.components !== components) return;
          opened.delete(key);
          entry.live.close();
        });
      };
    },
  };
}

function errorOf(reason: unknown): Error | null {
  if (reason === null || reason instanceof Error) return reason;
  return new Error(String(reason));
}
