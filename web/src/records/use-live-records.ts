import { useEffect, useRef } from 'preact/hooks';
import type { Events, RecordEvent } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { kindOf, sentenceOfMany } from '../events/sentence.ts';
import { useApp } from '../parts/context.ts';
import { newsOf } from './news.ts';
import type { Records } from './use-records.ts';

interface LiveOptions {
  /** Where the list hears of changes, unless its own answer says that. */
  readonly events?: Events | undefined;
  /** The list shows one state of many. */
  readonly isFiltered: boolean;
  /** Makes a change of the list. */
  around(change: () => void): void;
  /** Something has happened elsewhere, and the list shows it. */
  onHeard(): void;
}

/** Reads a list again whenever something has happened to its records, and says in words what was done elsewhere. */
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
    /** By record, what was told since the list was read. */
    const heard = new Map<string, RecordEvent>();
    let isStale = false;
    let isBusy = false;
    let isOver = false;

    /** Of much at once there is one message, when it is over. */
    const follow = async (): Promise<void> => {
      isStale = true;
      if (isBusy) return;
      isBusy = true;
      const news: string[] = [];
      while (isStale && !isOver) {
        isStale = false;
        const { records, isFiltered, around } = latest.current;
        const list = await records.reread();
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
        // Any other event of the record says more than that somebody has joined.
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
