import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, caught, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import type { List } from './news.ts';
import { isReadByEveryone } from './roles.ts';

export interface ListChoice {
  /** The caller's role by invitation or action; empty for its own records, and where the list has both. */
  readonly role: string;
  /** Empty for every state. */
  readonly state: string;
  /** The words that are searched for; empty for all records. */
  readonly q: string;
  /** Where words are searched for, the newest come first whatever this says. */
  readonly sort: string;
}

export const everything: ListChoice = { role: '', state: '', q: '', sort: '-created_at' };

interface ListKind {
  readonly isEverybodys?: boolean;
  readonly parentId?: string | undefined;
}

const pageSize = 10;
const largestPage = 200;

/**
 * The list of a collection as far as it was fetched. It is the caller's own unless everybody's is asked for, or what is
 * under one record.
 */
export function useRecords(
  collection: Collection,
  choice: ListChoice,
  { isEverybodys = false, parentId }: ListKind = {},
) {
  const { api, quietApi, writes } = useApp();
  const [list, setList] = useState<List | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  /** The list as it is going to be drawn. */
  const latest = useRef<List | null>(null);
  /** The page that somebody has asked for last. */
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

  // The list begins anew when it is another list.
  useEffect(() => {
    show(null);
    void load(null);
  }, [collection.name, choice.role, choice.state, choice.q, choice.sort]);

  return {
    /** As the service has it: which records the list is of. */
    filter,
    list,
    latest,
    items: list?.items ?? null,
    problem,
    isLoading,
    hasMore: list !== null && list.next !== null,
    more: () => load(latest.current?.next ?? null),
    reload: () => load(null),
    /** As it is now, as far as it was fetched, and unasked; `late` when something was done here meanwhile. */
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

/** What has come into the list meanwhile does not come twice. It is as new as its first page. */
function joined(before: List | null, more: List): List {
  if (before === null) return more;
  const known = new Set(before.items.map(({ id }) => id));
  return {
    ...more,
    items: [...before.items, ...more.items.filter(({ id }) => !known.has(id))],
    position: before.position,
  };
}
