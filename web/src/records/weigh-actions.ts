import type { Collection, RecordItem } from '../api/types.ts';

/** An action that the caller may take now, and what it amounts to. */
export interface WeighedAction {
  readonly name: string;
  /** The state it leads to. */
  readonly to: string;
  /** Nothing leads on from there: somebody should be asked first. */
  readonly isFinal: boolean;
  /** The one to go on with: the first that is declared and ends nothing. A card has one such button at most. */
  readonly isMain: boolean;
  /** The fields that it takes as input. */
  readonly sets: readonly string[];
  /** It is for a person who is to be chosen. */
  readonly isChoosing: boolean;
}

export function weighActions({ states = {} }: Collection, record: RecordItem): readonly WeighedAction[] {
  const declared = Object.entries(states[record.state ?? ''] ?? {});
  const allowed = declared
    .filter(([name]) => record.actions?.includes(name))
    .map(([name, { to, sets = [], chosen_from }]) => ({
      name,
      to,
      sets,
      isChoosing: chosen_from !== undefined,
      isFinal: Object.keys(states[to] ?? {}).length === 0,
    }));
  const main = allowed.find(({ isFinal }) => !isFinal);
  return allowed
    .map((action) => ({ ...action, isMain: action === main }))
    .toSorted((one, other) => Number(other.isMain) - Number(one.isMain));
}
