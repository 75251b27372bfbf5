import type { Collection, RecordItem } from '../api/types.ts';
import { mayChange } from './roles.ts';
import { type WeighedAction, weighActions } from './weigh-actions.ts';

/** What the caller may do to all of several records: actions without input, and deleting. */
export interface Common {
  readonly actions: readonly WeighedAction[];
  readonly mayDelete: boolean;
}

export function commonOf(collection: Collection, records: readonly RecordItem[]): Common {
  const [first = [], ...others] = records.map((record) =>
    weighActions(collection, record).filter(({ sets, isChoosing }) => sets.length === 0 && !isChoosing),
  );
  const actions = first.flatMap((action) => {
    const same = others.map((of) => of.find(({ name }) => name === action.name));
    if (same.includes(undefined)) return [];
    // The same action can lead to different states.
    return [{ ...action, isFinal: action.isFinal || same.some((one) => one?.isFinal) }];
  });
  const mayDelete = records.length > 0 && records.every((record) => mayChange(collection, record, 'delete'));
  return { actions, mayDelete };
}
