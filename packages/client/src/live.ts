import { notifyAll, subscribe } from './notify-all.ts';
import { abortable, onAbort, pause } from './pause.ts';
import { Problem } from './problem.ts';
import { waitBefore } from './retry.ts';
import type {
  CallOptions,
  Events,
  Live,
  NamedEvents,
  Page,
  RecordEvent,
  UntypedCollection,
} from './types.ts';

type Item = UntypedCollection['record'];

const largestPage = 200;
/** The shortest time between two reads, for each page of the list. */
const readEveryMs = 200;

/**
 * A list that is read again after each event that is newer than the list. Reading it again is simpler than applying events:
 * the service decides what belongs where.
 */
export function createLive(
  allEvents: NamedEvents,
  collection: string,
  { limit = Infinity, ...query }: Item,
  readPages: (query: Item, options: CallOptions) => AsyncIterable<Page<Item>>,
  outer?: AbortSignal,
  /** The id of the only record to follow; without it, all events of the collection count. */
  id?: string,
): Live<Item> {
  const { signal, abort } = abortable(outer);
  const subscribers = new Set<() => void>();
  /** The position of the log up to which the list is complete. */
  let has: number | null = null;
  let eventsScope: Page<Item>['eventsScope'] = null;
  let events = allEvents as Events;
  let isStale = false;
  let isReading = false;

  const changed = () => notifyAll(subscribers, (subscriber) => subscriber());

  const live: { -readonly [member in keyof Live<Item>]: Live<Item>[member] } = {
    items: null,
    get status() {
      const { status } = events;
      if (live.error) return 'ended';
      if (status === 'live' && (eventsScope === 'own' || eventsScope === 'none')) return eventsScope;
      return status;
    },
    error: null,
    subscribe: (listener) => subscribe(subscribers, listener),
    close: abort,
    async *[Symbol.asyncIterator]() {
      let seen: readonly Item[] | null = null;
      try {
        for (;;) {
          if (live.error) throw live.error;
          if (signal.aborted) return;
          if (live.items !== seen) {
            seen = live.items;
            yield seen as readonly Item[];
          } else
            await new Promise<void>((resolve) => {
              const end = live.subscribe(() => {
                end();
                resolve();
              });
            });
        }
      } finally {
        abort();
      }
    },
  };

  const fail = (error: unknown) => {
    live.error = error;
    abort();
  };

  const watch = () => {
    const { status, reason } = events;
    if (status === 'ended') fail(new Problem(403, { code: reason }));
    else changed();
  };

  /** Reads all pages, or up to the limit. Answers with the number of pages. */
  const read = async (): Promise<number> => {
    const items: Item[] = [];
    let position: number | null = null;
    let pages = 0;
    for await (const page of readPages({ ...query, limit: Math.min(largestPage, limit) }, { signal })) {
      // The position of the first page: later changes come as events.
      position ??= page.position;
      eventsScope = page.eventsScope;
      pages += 1;
      if (items.push(...page.items) >= limit) break;
    }
    const isFirst = !live.items;
    has = position;
    live.items = items.slice(0, limit);
    if (isFirst) {
      if (eventsScope === 'named') events = allEvents.of(collection);
      if (eventsScope?.startsWith('in=')) events = allEvents.of({ in: [eventsScope.slice(3)] });
      onAbort(signal, events.watch(watch));
      const hear = ({ position, data }: RecordEvent) => {
        if (position > (has ?? 0) && data.id === (id ?? data.id)) refresh();
      };
      onAbort(signal, events.listen({ collection, after: has, hear, missed: refresh }));
    }
    changed();
    return pages;
  };

  /** Reads the list; reads it again if it was called during the first read. */
  const refresh = async (): Promise<void> => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    for (let failures = 0; isStale && !signal.aborted; ) {
      isStale = false;
      try {
        await pause(readEveryMs * (await read()), signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = error instanceof Problem ? waitBefore(error, failures) : Infinity;
        if (waitMs === Infinity) return fail(error);
        failures += 1;
        isStale = true;
        await pause(waitMs + 1_000, signal).catch(() => {});
      }
    }
    isReading = false;
  };

  onAbort(signal, changed);
  void refresh();
  return live;
}
