import type { Api, Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { isReadByEveryone } from './roles.ts';

/**
 * The stream that tells of a record and of what is under it. A stream of all events leaves out what everyone can read: it
 * comes to a stream that names its collection, or the record above it. `record` is missing until it was read.
 */
export function eventsOf(
  { events }: Api,
  { name, parent, access, children = [] }: Collection,
  id: string,
  record: RecordItem | undefined,
): Events {
  const isPublic = [{ access }, ...children].some(isReadByEveryone);
  if (!isPublic) return events;
  const above = parent && record ? [`${parent.collection}/${record[parent.field]}`] : [];
  const under = children.length > 0 ? [`${name}/${id}`] : [];
  const records = [...above, ...under];
  return events.of({
    collections: [name, ...children.map((child) => child.name)],
    in: records.length > 0 ? records : undefined,
  });
}
