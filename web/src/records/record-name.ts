import type { Collection, RecordItem } from '../api/types.ts';
import { display } from '../schema/display.ts';
import { ownFields } from './family.ts';

/** What a record is called: the first field of its schema, or else its id. Under a parent the card also says whose it is. */
export function nameOf(collection: Collection, record: RecordItem): string {
  const [title] = ownFields(collection);
  if (title === undefined) return record.id;
  const isMissing = collection.parent !== undefined && record[title.name] === undefined;
  return isMissing ? `Without ${title.label.toLowerCase()}` : display(title.shape, record[title.name]);
}
