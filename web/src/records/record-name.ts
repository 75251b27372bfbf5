import type { Collection, RecordItem } from '../api/types.ts';
import { planOf } from '../lists/plan.ts';
import { personName } from '../people/person.ts';
import { display } from '../schema/display.ts';

/** The name of a record: its title, or the person whose it is; its id if it has neither. */
export function nameOf(collection: Collection, record: RecordItem): string {
  const { title } = planOf(collection);
  if (title !== null && record[title.name] !== undefined) return display(title.shape, record[title.name]);
  if (typeof record.owner === 'string') return personName(record.owner);
  return title === null ? record.id : display(title.shape, undefined);
}
