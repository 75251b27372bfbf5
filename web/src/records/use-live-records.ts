import { useEffect, useRef } from 'preact/hooks';
import type { Events, RecordEvent } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { kindOf, sentenceOfMany } from '../events/sentence.ts';
import { useApp } from '../parts/context.ts';
import { newsOf } from './news.ts';
import type { Records } from './use-records.ts';

/** After a few quick looks at a list that changes all the time, the next one waits. */
const [mostQuick, betweenMs] = [3, 2_000];

interface LiveOptions {
  /** The stream of events; by default the one that the answer with the list names. */
  readonly events?: Events | undefined;
  /** True if the list has a filter or a search. */
  readonly isFiltered: boolean;
  /** Runs a change of the list, and keeps the focus. */
  around(change: () => void): void;
  /** Called after the list has shown a change from elsewhere. */
  onHeard(): void;
}

/** Reads a list again after each event of its records, and announces what was done elsewhere. */
export function useLiveRecords(collection: Collection, records: Records, options: LiveOptions): void {
  const { quietApi, announce } = useApp();
  const latest = useRef({ records, ...options });
  latest.current = { records, ...options };
  const after = records.list?.position ?? null;
  const scope = records.list?.eventsScope ?? null;
  const isFollowed = after !== null && scope !== 'own' && scope !== 'none';
  const usual = scope === 'named' ? quietApi.events.of(collection.name) : quietApi.events;
  const events = options.events ?? usual;

  useEffect(() => {
    if (!isFollowed) return;
    /** The events since the list was read, by record. */
    const heard = new Map<string, RecordEvent>();
    let isStale = false;
    let isBusy = false;
    let [quick, lookedAt] = [0, Number.NEGATIVE_INFINITY];
    let isOver = false;

    /** Many changes at once are announced in one sentence at the end. */
    const follow = async (): Promise<void> => {
      isStale = true;
      if (isBusy) return;
      isBusy = true;
      const news: string[] = [];
      while (isStale && !isOver) {
        // Events that keep coming are shown together: each look is a read of the person.
        quick = performance.now() - lookedAt < betweenMs ? quick + 1 : 0;
        if (quick > mostQuick) await new Promise((resolve) => setTimeout(resolve, betweenMs));
        lookedAt = performance.now();
        isStale = false;
        const { records, isFiltered, around } = latest.current;
        const list = await records.reread([...heard.keys()]);
        const before = records.latest.current;
        if (list === 'late') isStale = true;
        else if (list !== null && before !== null && !isOver) {
          news.push(...newsOf(collection, before, list, heard, isFiltered));
          heard.clear();
          around(() => records.show(list));
        }
      }
      isBusy = false;
      if (news.length === 0) return;
      latest.current.onHeard();
      announce(news.length === 1 ? (news[0] ?? '') : sentenceOfMany(collection, news.length));
    };

    const unlisten = events.listen({
      collection: collection.name,
      after,
      hear: (event) => {
        if (event.position <= (latest.current.records.latest.current?.position ?? 0)) return;
        // Any other event of the record says more than `joined`.
        if (kindOf(event.type) !== 'joined' || !heard.has(event.data.id)) heard.set(event.data.id, event);
        void follow();
      },
      missed: () => void follow(),
    });
    return () => {
      isOver = true;
      unlisten();
    };
  }, [events, collection.name, isFollowed]);
}
