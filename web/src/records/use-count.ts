import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import type { Records } from './use-records.ts';

export interface ListCount {
  readonly count: number;
  /** The service stopped counting at its limit: there may be more. */
  readonly isLeast: boolean;
}

/**
 * The number of records in a list; null while it is not known. A list that was fetched completely needs no request.
 * The service does not count everybody's records.
 */
export function useCount(
  { name }: Collection,
  { list, filter }: Records,
  isEverybodys: boolean,
): ListCount | null {
  const { quietApi } = useApp();
  const isWhole = list?.next === null;
  const asked = JSON.stringify(filter);
  const isAsked = list !== null && !isWhole && !isEverybodys;
  const load = async () => {
    if (!isAsked) return null;
    const found = await quietApi.collection(name).count(filter);
    return { asked, count: found.count ?? found.at_least, isLeast: found.count === undefined };
  };
  // The position changes with each event that the list has.
  const { value } = useLoad(load, `${asked} ${isAsked} ${list?.position}`);
  if (list === null) return null;
  if (isWhole) return { count: list.items.length, isLeast: false };
  // The value may belong to the filter from before.
  return value?.asked === asked ? value : null;
}
