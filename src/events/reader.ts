import type { EventStore, StoredEvent } from '../storage/port.ts';

/** Somebody who reads the log: what of it may be seen, and how it is told. */
export interface EventReader {
  /** The only owner whose events are seen; null where there may be others'. */
  readonly owner: string | null;
  sees(event: StoredEvent): boolean;
  /** Whether it is told whose record it is. */
  readonly showsOwner: boolean;
}

/**
 * Where a reader goes on who was at a position; 0 is the beginning, wherever that is now. Null when what follows is not kept
 * any more, or the position was never given, or only after the backup that was restored since: whoever counts on it has to
 * read everything anew.
 */
export async function placeIn(
  store: Pick<EventStore, 'hasGivenUpTo'>,
  { first, last }: { readonly first: number; readonly last: number },
  position: number,
): Promise<number | null> {
  if (position === 0) return Math.max(first - 1, 0);
  if (position < first - 1 || position > last) return null;
  return (await store.hasGivenUpTo(position, last)) ? position : null;
}

/** How many are looked through at most, and how much of what is found goes out in one piece. */
const lookedAt = 500;
const mostBytes = 32_768;
/** Events may be large: how many are read at first, and twice as many each time while they are small. */
const readAtFirst = 25;

/**
 * What a reader may see after a position, up to another one: the next few. `reached` is how far was looked, for the next
 * time: what lies up to there and is not here is not for this reader.
 */
export async function readVisible(
  store: Pick<EventStore, 'list'>,
  reader: EventReader,
  { after, until }: { readonly after: number; readonly until: number },
  most = lookedAt,
): Promise<{ readonly events: readonly StoredEvent[]; readonly reached: number }> {
  const events: StoredEvent[] = [];
  let [reached, bytes, read] = [after, 0, 0];
  for (let limit = readAtFirst; ; limit *= 2) {
    const found = await store.list({ after: reached, until, owner: reader.owner, limit });
    for (const event of found) {
      const isSeen = reader.sees(event);
      if (isSeen && events.length > 0 && (bytes > mostBytes || events.length === most))
        return { events, reached };
      if (isSeen) events.push(event);
      bytes += event.data.length;
      reached = event.position;
    }
    read += found.length;
    if (found.length < limit) return { events, reached: Math.max(until, reached) };
    if (read >= lookedAt || bytes > mostBytes || events.length >= most) return { events, reached };
  }
}
