import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, caught, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import type { List } from './news.ts';
import { isReadByEveryone } from './roles.ts';

export interface ListChoice {
  /** The caller's role by invitation or action; empty for own records, or where the list has both. */
  readonly role: string;
  /** Empty: all states. */
  readonly state: string;
  /** The words to search for; empty: no search. */
  readonly q: string;
  /** Not used in a search: its results are newest first. */
  readonly sort: string;
}

export const everything: ListChoice = { role: '', state: '', q: '', sort: '-created_at' };

interface ListKind {
  readonly isEverybodys?: boolean;
  readonly parentId?: string | undefined;
}

const pageSize = 10;
const largestPage = 200;

/** Fetches a list page by page: the caller's own records, everybody's, or those under one parent. */
export function useRecords(
  collection: Collection,
  choice: ListChoice,
  { isEverybodys = false, parentId }: ListKind = {},
) {
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

  const role = choice.role || undefined;
  const q = choice.q || undefined;
  const isMine = isReadByEveryone(collection) && !isEverybodys && !role && parentId === undefined;
  const under = collection.parent && { [collection.parent.field]: parentId };
  const filter = { ...under, role, q, state: choice.state || undefined, mine: isMine ? true : undefined };

  const read = (from: Api, limit: number, cursor: string | null): Promise<List | Problem> => {
    const sort = q === undefined ? choice.sort : undefined;
    return from
      .collection(collection.name)
      .page({ ...filter, sort, limit, cursor })
      .catch(caught);
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
  }, [collection.name, choice.role, choice.state, choice.q, choice.sort]);

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
    /** Reads as many records again as were fetched; `late` if this page has changed or loaded something meanwhile. */
    async reread(): Promise<List | 'late' | null> {
      const { current: before } = asked;
      await before;
      const { current: shown } = latest;
      const limit = Math.min(largestPage, Math.max(pageSize, shown?.items.length ?? 0));
      const page = await read(quietApi, limit, null);
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
