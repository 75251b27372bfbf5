import type { BatchKeys, BatchRules, Loaded } from './port.ts';

/** Loads what a batch needs in rounds: what a record is under is known only once the record is there. */
export function loadInRounds(
  rules: BatchRules,
  operations: readonly unknown[],
  first: Loaded,
  load: (keys: BatchKeys) => Loaded,
): Loaded {
  let loaded = first;
  for (let round = 1; ; round += 1) {
    const keys = rules.furtherKeys?.(operations, loaded, round) ?? null;
    if (keys === null) return loaded;
    loaded = mergeLoaded(loaded, load({ ...noKeys, ...keys }));
  }
}

export const noKeys: BatchKeys = {
  consumers: [],
  usage: [],
  records: [],
  idempotencyKeys: [],
  members: [],
  memberCounts: [],
  memberships: [],
  invitations: [],
  memberRoles: {},
  proofs: [],
  newcomers: null,
};

export function mergeLoaded(one: Loaded, other: Loaded): Loaded {
  const { tallies = [], unique = [], waiting = [], children = [] } = one;
  return {
    ...one,
    records: [...one.records, ...other.records],
    members: [...one.members, ...other.members],
    memberships: [...one.memberships, ...other.memberships],
    tallies: [...tallies, ...(other.tallies ?? [])],
    unique: [...unique, ...(other.unique ?? [])],
    waiting: [...waiting, ...(other.waiting ?? [])],
    children: [...children, ...(other.children ?? [])],
  };
}
