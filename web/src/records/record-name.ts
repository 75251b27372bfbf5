import type { Collection, RecordItem } from '../api/types.ts';
import { display } from '../schema/display.ts';
import { ownFields } from './family.ts';

/** The name of a record: the first field of its schema, or its id if the schema has none. */
export function nameOf(collection: Collection, record: RecordItem): string {
  const [title] = ownFields(collection);
  if (title === undefined) return record.id;
  const isMissing = collection.parent !== undefined && record[title.name] === undefined;
  return isMissing ? `Without ${title.label.toLowerCase()}` : display(title.shape, record[title.name]);
}
