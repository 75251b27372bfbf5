import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import type { Collection, Page, RecordItem } from '../api/types.ts';
import { useHouse } from '../parts/context.ts';

export interface ListChoice {
  /** Empty for every state. */
  readonly state: string;
  readonly sort: string;
}

const pageSize = 10;

/** The list of a collection as far as it was fetched, and how it follows what is done to its records. */
export function useRecords(collection: Collection, choice: ListChoice) {
  const { api } = useHouse();
  const [items, setItems] = useState<readonly RecordItem[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  const turn = useRef(0);

  const load = async (cursor: string | null) => {
    turn.current += 1;
    const mine = turn.current;
    setLoading(true);
    const outcome = await api.get<Page>(`/${collection.name}?${queryOf(choice, cursor)}`);
    if (mine !== turn.current) return;
    setLoading(false);
    setProblem(outcome.ok ? null : outcome.problem);
    if (!outcome.ok) return;
    setNext(outcome.body.next);
    setItems((before) => [...(cursor === null ? [] : (before ?? [])), ...outcome.body.items]);
  };

  // The list begins anew when it is another list.
  useEffect(() => {
    setItems(null);
    void load(null);
  }, [collection.name, choice.state, choice.sort]);

  return {
    items,
    problem,
    isLoading,
    hasMore: next !== null,
    more: () => load(next),
    reload: () => load(null),
    replace: (record: RecordItem) =>
      setItems((before) => before?.map((one) => (one.id === record.id ? record : one)) ?? null),
    drop: (id: string) => setItems((before) => before?.filter((one) => one.id !== id) ?? null),
  };
}

function queryOf({ state, sort }: ListChoice, cursor: string | null): URLSearchParams {
  return new URLSearchParams({
    limit: String(pageSize),
    sort,
    ...(state === '' ? {} : { state }),
    ...(cursor === null ? {} : { cursor }),
  });
}
