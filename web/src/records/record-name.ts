import type { Collection, RecordItem } from '../api/types.ts';
import { display } from '../schema/display.ts';
import { fieldsOfSchema } from '../schema/shape.ts';

/** What a record is called: the first field of its schema, or else its id. */
export function nameOf({ schema }: Collection, record: RecordItem): string {
  const [title] = fieldsOfSchema(schema);
  return title === undefined ? record.id : display(title.shape, record[title.name]);
}
