import type { Collection, RecordItem } from '../api/types.ts';
import { display } from '../schema/display.ts';
import { ownFields } from './family.ts';

/** What a record is called: the first field of its schema. Under a parent that may be missing: then it is called by its owner. */
export function nameOf(collection: Collection, record: RecordItem): string {
  const [title] = ownFields(collection);
  const owner = collection.parent === undefined ? undefined : record.owner;
  if (title !== undefined && (record[title.name] !== undefined || owner === undefined))
    return display(title.shape, record[title.name]);
  if (owner === undefined) return record.id;
  return record.roles?.includes('owner') ? 'Yours' : `From ${owner}`;
}
