import type {
  ParentLink,
  RecordContext,
  RecordInContext,
  RecordName,
  StoredRecord,
} from '../storage/port.ts';
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

/** The name of the record that this one is under; null: the collection has no parent. */
export function parentOf(
  { parent }: Pick<Collection, 'parent'>,
  { parentId }: Pick<StoredRecord, 'parentId'>,
): RecordName | null {
  return parent === null || parentId === null ? null : { collection: parent.collection, id: parentId };
}

/** The ancestors of a record, the nearest first. */
export function recordsAbove({ parent }: RecordContext): readonly RecordInContext[] {
  return parent ? [parent, ...recordsAbove(parent)] : [];
}

/** The root record: people have one alias in it and in everything under it. */
export function rootOf(lineage: Lineage, { record, parent }: RecordInContext): RecordName {
  const upper = lineageAbove(lineage);
  const above = parentOf(lineage[0], record);
  if (upper === null || above === null) return { collection: lineage[0].name, id: record.id };
  return parent ? rootOf(upper, parent) : above;
}

/** Records with `owned_by: parent` change their owner with their parent. */
export function ownerIn(lineage: Lineage, { record, parent }: RecordInContext): string {
  return ownerByParent(lineage, parent) ?? record.owner;
}

/** The owner of a record with `owned_by: parent`; null: the record has an owner of its own. */
export function ownerByParent(lineage: Lineage, parent: RecordContext['parent']): string | null {
  if (lineage[0].parent?.ownedBy !== 'parent' || !parent) return null;
  const above = lineageAbove(lineage);
  return above === null ? null : ownerIn(above, parent);
}

/** The parents of collections, for the storage. */
export function parentLinksOf(collections: readonly Named[]): readonly ParentLink[] {
  const find = (name: string) => collections.find((one) => one.name === name);
  return collections.flatMap((collection) => {
    const { name: child, parent } = collection;
    if (parent === null) return [];
    const { collection: above, ownedBy, onDelete } = parent;
    const level = lineageOf(collection, find).length - 1;
    return [{ child, collection: above, level, ownedBy, onDelete, isTallied: isTallied(collection) }];
  });
}

/** Whether the records under each parent are counted. */
export function isTallied({ parent }: Pick<Collection, 'parent'>): boolean {
  return parent !== null && (parent.max !== null || parent.capacity !== null || parent.counts.length > 0);
}
