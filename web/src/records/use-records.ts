import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, caught, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import type { List } from './news.ts';
import { isReadByEveryone, withOwner } from './roles.ts';

export interface ListChoice {
  /** `mine`, the caller's role by invitation or action, or empty: all that the caller can read. */
  readonly whose: string;
  /** Empty: all states. */
  readonly state: string;
  /** The words to search for; empty: no search. */
  readonly q: string;
  /** Not used in a search: its results are newest first. */
  readonly sort: string;
}

export const everything: ListChoice = { whose: '', state: '', q: '', sort: '-created_at' };

interface ListKind {
  readonly parentId?: string | undefined;
}

const pageSize = 50;
const largestPage = 200;

/** True if the list has the records of everybody: the service has neither a search nor a count of it. */
export function isEverybodys(
  collection: Collection,
  choice: ListChoice,
  parentId: string | undefined,
): boolean {
  return isReadByEveryone(collection) && choice.whose === '' && parentId === undefined;
}

/** Fetches a list page by page: all that the caller can read, some of it, or the records under one parent. */
export function useRecords(collection: Collection, choice: ListChoice, { parentId }: ListKind = {}) {
  const { api, quietApi, writes } = useApp();
  const [list, setList] = useState<List | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  /** The list as the next render shows it. */
  const latest = useRef<List | null>(null);
  /** The request that the person made last. */
  const asked = useRef<Promise<List | Problem> | null>(null);

  const show = (next: List | null) => {
    latest.current = next;
    setList(next);
  };
  const showItems = (change: (items: readonly RecordItem[]) => readonly RecordItem[]) =>
    latest.current && show({ ...latest.current, items: change(latest.current.items) });

  const isMine = choice.whose === 'mine';
  const role = isMine ? undefined : choice.whose || undefined;
  const q = choice.q || undefined;
  const under = collection.parent && { [collection.parent.field]: parentId };
  const filter = { ...under, role, q, state: choice.state || undefined, mine: isMine ? true : undefined };

  const read = async (from: Api, limit: number, cursor: string | null): Promise<List | Problem> => {
    const sort = q === undefined ? choice.sort : undefined;
    const calls = from.collection(collection.name);
    const page: List | Problem = await calls.page({ ...filter, sort, limit, cursor }).catch(caught);
    if (page instanceof Problem || !isEverybodys(collection, choice, parentId)) return page;
    // A collection without roles does not say whose a record is.
    if (page.items.every(({ roles }) => roles !== undefined)) return page;
    const own = await calls.page({ mine: true, limit: largestPage }).catch(() => null);
    const ids = new Set(own?.items.map(({ id }) => id));
    return { ...page, items: page.items.map((record) => withOwner(record, ids.has(record.id))) };
  };

  const load = async (cursor: string | null) => {
    setLoading(true);
    const reading = read(api, pageSize, cursor);
    asked.current = reading;
    const page = await reading;
    if (reading !== asked.current) return;
    setLoading(false);
    setProblem(page instanceof Problem ? page : null);
    if (!(page instanceof Problem)) show(cursor === null ? page : joined(latest.current, page));
  };

  // Another choice is another list.
  useEffect(() => {
    show(null);
    void load(null);
  }, [collection.name, choice.whose, choice.state, choice.q, choice.sort]);

  /** What a long list has after its first page, with the records that have changed; nothing if it has only that. */
  const rest = async (first: List, shown: List, changed: readonly string[]): Promise<Partial<List>> => {
    const lastId = first.items.at(-1)?.id;
    const place = shown.items.findIndex(({ id }) => id === lastId);
    if (shown.items.length <= largestPage || place === -1) return {};
    const isFirst = new Set(first.items.map(({ id }) => id));
    const later = shown.items.slice(place + 1).filter(({ id }) => !isFirst.has(id));
    const reading = later.filter(({ id }) => changed.includes(id)).map(({ id }) => id);
    const records = quietApi.collection(collection.name);
    const found = await Promise.all(reading.map((id) => records.get(id).catch(() => null)));
    const now = new Map(reading.map((id, index) => [id, found[index] ?? null]));
    const kept = later.flatMap((one) => now.get(one.id) ?? (now.has(one.id) ? [] : [one]));
    return { items: [...first.items, ...kept], next: shown.next };
  };

  return {
    /** The parameters of the list without order and pages. */
    filter,
    list,
    latest,
    items: list?.items ?? null,
    problem,
    isLoading,
    hasMore: list !== null && list.next !== null,
    more: () => load(latest.current?.next ?? null),
    reload: () => load(null),
    /**
     * Reads the records again that were fetched: the first page of them, and of the others those that have `changed`. `late` if
     * this page has changed or loaded something meanwhile.
     */
    async reread(changed: readonly string[] = []): Promise<List | 'late' | null> {
      const { current: before } = asked;
      await before;
      const { current: shown } = latest;
      const limit = Math.min(largestPage, Math.max(pageSize, shown?.items.length ?? 0));
      const first = await read(quietApi, limit, null);
      const page =
        first instanceof Problem || shown === null
          ? first
          : { ...first, ...(await rest(first, shown, changed)) };
      await writes.settled();
      if (asked.current !== before || latest.current !== shown) return 'late';
      setProblem(page instanceof Problem ? page : null);
      return page instanceof Problem ? null : page;
    },
    show,
    replace(...records: readonly RecordItem[]) {
      const changed = new Map(records.map((record) => [record.id, record]));
      showItems((items) => items.map((one) => changed.get(one.id) ?? one));
    },
    drop: (...ids: readonly string[]) => showItems((items) => items.filter(({ id }) => !ids.includes(id))),
  };
}

export type Records = ReturnType<typeof useRecords>;

/** Adds a page without the records that are already there. The position stays that of the first page. */
function joined(before: List | null, more: List): List {
  if (before === null) return more;
  const known = new Set(before.items.map(({ id }) => id));
  return {
    ...more,
    items: [...before.items, ...more.items.filter(({ id }) => !known.has(id))],
    position: before.position,
  };
}
