import type { Family } from '../storage/port.ts';
import type { Collection } from './collection.ts';

/** A collection and its ancestors, the nearest first. */
export type Lineage = LineageOf<Collection>;

type LineageOf<Related> = readonly [Related, ...Related[]];
type Named = Pick<Collection, 'name' | 'parent'>;

/** Stops if a collection is missing or occurs again. */
export function lineageOf<Related extends Named>(
  collection: Related,
  find: (name: string) => Related | undefined,
): LineageOf<Related> {
  const lineage: [Related, ...Related[]] = [collection];
  for (;;) {
    const above = lineage.at(-1)?.parent;
    const next = above ? find(above.collection) : undefined;
    if (next === undefined || lineage.includes(next)) return lineage;
    lineage.push(next);
  }
}

/** The lineage of the parent; null: records have no parent. */
export function lineageAbove([, next, ...further]: Lineage): Lineage | null {
  return next === undefined ? null : [next, ...further];
}

/** The parents of collections, for the storage. */
export function familiesOf(collections: readonly Named[]): readonly Family[] {
  const find = (name: string) => collections.find((one) => one.name === name);
  return collections.flatMap((collection) => {
    const { name: child, parent } = collection;
    if (parent === null) return [];
    const { field, collection: above, ownedBy, onDelete } = parent;
    const level = lineageOf(collection, find).length - 1;
    return [{ child, field, collection: above, level, ownedBy, onDelete, isTallied: isTallied(collection) }];
  });
}

/** Whether the records under each parent are counted. */
export function isTallied({ parent }: Pick<Collection, 'parent'>): boolean {
  return parent !== null && (parent.max !== null || parent.capacity !== null || parent.counts.length > 0);
}
