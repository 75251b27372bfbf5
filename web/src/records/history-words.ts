import type { HistoryEntry } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { inWords } from '../schema/shape.ts';
import { withArticle } from './roles.ts';

/** What can happen to a record beside the declared actions. */
const kinds: Readonly<Record<string, string>> = {
  create: 'Created',
  update: 'Changed',
  moved_up: 'Got a free place',
};

export interface HistoryWords {
  readonly what: string;
  readonly who: string;
  /** Null where the state stayed the same. */
  readonly states: { readonly from: string; readonly to: string } | null;
}

/** An entry of a history as a person would say it: "“Hand in”", "by a student", from "Draft" to "Handed in". */
export function historyInWords(collection: Collection, { action, from, to, by }: HistoryEntry): HistoryWords {
  const isMoved = from !== null && to !== null && from !== to;
  return {
    what: kinds[action] ?? `“${inWords(action)}”`,
    who: whoInWords(collection, by),
    states: isMoved ? { from: inWords(from), to: inWords(to) } : null,
  };
}

function whoInWords({ roles = {} }: Collection, by: string | null): string {
  if (by === null) return 'by itself';
  if (by === 'everyone') return 'by a person without a role';
  if (by === 'client') return 'by a client of the service';
  // Each record has one owner, and one holder of a role that an action grants.
  const isSingle = by === 'owner' || roles[by]?.max_per_user !== undefined;
  return `by ${isSingle ? `the ${inWords(by).toLowerCase()}` : withArticle(by)}`;
}
