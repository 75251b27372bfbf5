import type { Collection, RecordItem } from '../api/types.ts';
import { type WeighedAction, weighActions } from '../records/weigh-actions.ts';
import { isLastState, progressOf } from './plan.ts';

/** The action whose button stands in the row: the first that leads on. In a last state the one that leads back. Null: none. */
export function firstActionOf(collection: Collection, record: RecordItem): WeighedAction | null {
  const actions = weighActions(collection, record);
  if (isLastState(collection, record)) return actions[0] ?? null;
  const here = progressOf(collection, String(record.state));
  return actions.find(({ to }) => progressOf(collection, to) > here) ?? null;
}
