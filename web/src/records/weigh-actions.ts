import type { Collection, RecordItem } from '../api/types.ts';

/** An action that the caller may take now, with its effect. */
export interface WeighedAction {
  readonly name: string;
  /** The state that it leads to. */
  readonly to: string;
  /** No action leads on from that state: the page asks for confirmation. */
  readonly isFinal: boolean;
  /** The first declared action that is not final. Its button is highlighted. */
  readonly isMain: boolean;
  /** The fields that it takes as input. */
  readonly sets: readonly string[];
  /** The caller chooses the person who gets a role. */
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
