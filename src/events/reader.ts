import type { EventStore, StoredEvent } from '../storage/port.ts';
import type { Audience } from './audience.ts';
import { withoutFields } from './catalogue.ts';

export interface EventReader {
  /** The only owner whose events it sees; null: it may see those of others. */
  readonly owner: string | null;
  sees(event: StoredEvent): boolean;
  readonly showsOwner: boolean;
  /** The events of shared collections that it gets; null if there are none, or if it sees all events anyway. */
  readonly audience: Audience | null;
  showsFields(event: StoredEvent): boolean;
}

/** The event with what the reader may see of it at this place of the log. Roles that come later do not count. */
export function seenBy(reader: EventReader, event: StoredEvent): StoredEvent {
  return reader.showsFields(event) ? event : withoutFields(event);
}

/** Where a reader resumes; 0 is the beginning. Null if the position is pruned or unknown: the reader starts over. */
export async function placeIn(
  store: Pick<EventStore, 'hasGivenUpTo'>,
  { first, last }: { readonly first: number; readonly last: number },
  position: number,
): Promise<number | null> {
  if (position === 0) return Math.max(first - 1, 0);
  if (position < first - 1 || position > last) return null;
  return (await store.hasGivenUpTo(position, last)) ? position : null;
}

/** Bounds of one read: events looked at, bytes found. */
const lookedAt = 500;
const maxBytes = 32_768;
/** Events may be large: the first query is small, and each further one twice as large. */
const readAtFirst = 25;

/** The next events that a reader may see. `reached` is the position up to which the log was read. */
export async function readVisible(
  store: Pick<EventStore, 'list'>,
  reader: EventReader,
  { after, until }: { readonly after: number; readonly until: number },
  maxEvents = lookedAt,
): Promise<{ readonly events: readonly StoredEvent[]; readonly reached: number }> {
  const events: StoredEvent[] = [];
  let [reached, bytes, read] = [after, 0, 0];
  for (let limit = readAtFirst; ; limit *= 2) {
    const topics = reader.audience === null ? undefined : [...reader.audience.topics];
    const found = await store.list({ after: reached, until, owner: reader.owner, limit, topics });
    for (const event of found) {
      const isSeen = reader.sees(event);
      if (isSeen && events.length > 0 && (bytes > maxBytes || events.length === maxEvents))
        return { events, reached };
      if (isSeen) events.push(seenBy(reader, event));
      bytes += event.data.length;
      reached = event.position;
      // From here on it follows other topics: the next read asks for those.
      if (isSeen && reader.audience?.note(event)) return { events, reached };
    }
    read += found.length;
    if (found.length < limit) return { events, reached: Math.max(until, reached) };
    if (read >= lookedAt || bytes > maxBytes || events.length >= maxEvents) return { events, reached };
  }
}
