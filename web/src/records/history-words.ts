import type { HistoryEntry } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { inWords } from '../schema/shape.ts';
import { roleName } from './roles.ts';

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
    what: whatInWords(action),
    who: whoInWords(collection, by),
    states: isMoved ? { from: inWords(from), to: inWords(to) } : null,
  };
}

/** Two things happen beside the declared actions, and one by itself. */
function whatInWords(action: string): string {
  if (action === 'create' || action === 'update') return t.history[action];
  return action === 'moved_up' ? t.history.movedUp : `“${inWords(action)}”`;
}

function whoInWords({ roles = {} }: Collection, by: string | null): string {
  if (by === null) return t.history.byItself;
  if (by === 'everyone') return t.history.byAnybody;
  if (by === 'client') return t.history.byProgram;
  // Each record has one owner, and one holder of a role that an action grants.
  const isSingle = by === 'owner' || roles[by]?.max_per_user !== undefined;
  return t.history.by(roleName(by), isSingle);
}
