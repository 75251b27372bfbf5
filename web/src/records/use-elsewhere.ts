import { useEffect, useState } from 'preact/hooks';
import { caught, etagOf, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { kindOf } from '../events/sentence.ts';
import { useApp } from '../parts/context.ts';
import { t } from '../parts/words.ts';
import { singularOf } from './collection-words.ts';
import { eventsOf } from './record-events.ts';
import { type Loss, lossOf } from './roles.ts';

export interface Version {
  readonly record: RecordItem;
  readonly etag: string;
}

export function versionOf(record: RecordItem): Version {
  return { record, etag: etagOf(record) ?? '*' };
}

/** What the person is told when a record is gone: "This booking was deleted". */
export function lossTitle(collection: Collection, loss: Loss): string {
  return t.record.lost[loss](singularOf(collection));
}

/** Follows a record while a version of it is edited here: the newer version, or why the record is gone; null if nothing has changed. */
export function useElsewhere(
  collection: Collection,
  record: RecordItem,
  etag: string,
): Version | Loss | null {
  const { name, events } = collection;
  const { id } = record;
  const { quietApi, writes, announce } = useApp();
  const [found, setFound] = useState<Version | Loss | null>(null);

  useEffect(() => {
    if (events === 'none') return;
    let isOver = false;
    const look = async (kind: string) => {
      // The event may be about a change that this page is saving.
      await writes.settled();
      const now = await quietApi.collection(name).get(id).then(versionOf, caught);
      if (isOver) return;
      if (!(now instanceof Problem)) setFound(now);
      else if (now.code === 'not_found') setFound(lossOf(collection, record, kind));
    };
    const unlisten = eventsOf(quietApi, collection, id, record).listen({
      collection: name,
      // An answer with one record has no position in the log, so the record is read once more.
      after: null,
      hear: (event) => {
        if (event.data.id === id) void look(kindOf(event.type));
      },
      missed: () => void look(''),
    });
    return () => {
      isOver = true;
      unlisten();
    };
  }, [quietApi, name, events, id]);

  const elsewhere = typeof found === 'object' && found?.etag === etag ? null : found;
  const what =
    elsewhere === null
      ? ''
      : typeof elsewhere === 'string'
        ? lossTitle(collection, elsewhere)
        : t.record.changedElsewhere(singularOf(collection));
  useEffect(() => {
    if (what !== '') announce(`${what}.`);
  }, [what]);
  return elsewhere;
}
