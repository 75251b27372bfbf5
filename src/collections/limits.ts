import type { Collection, CollectionLimits } from './collection.ts';

/** What a collection has when its declaration says nothing. */
export const defaultLimits: CollectionLimits = {
  perUser: 1000,
  bytes: 16_384,
  writes: { count: 60, windowMs: 60_000 },
  newcomer: null,
  expireMs: null,
};

export const perUserRange = { minimum: 1, maximum: 1_000_000 } as const;
export const bytesRange = { minimum: 64, maximum: 1_048_576 } as const;

/** The same collection where newcomers may write as much as everybody. */
export function withoutNewcomerLimit(collection: Collection): Collection {
  return { ...collection, limits: { ...collection.limits, newcomer: null } };
}
