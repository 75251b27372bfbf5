import { useEffect, useState } from 'preact/hooks';
import { caught, etagOf, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useHouse } from '../parts/context.ts';

export interface Version {
  readonly record: RecordItem;
  readonly etag: string;
}

export function versionOf(record: RecordItem): Version {
  return { record, etag: etagOf(record) ?? '*' };
}

/** What has become of a record elsewhere while a version of it is being edited here; null while it is that version. */
export function useElsewhere(
  { name, events }: Collection,
  id: string,
  etag: string,
): Version | 'gone' | null {
  const { quietApi, writes, announce } = useHouse();
  const [found, setFound] = useState<Version | 'gone' | null>(null);

  useEffect(() => {
    if (events === 'none') return;
    let isOver = false;
    const look = async () => {
      // It may be what is being saved here.
      await writes.settled();
      const now = await quietApi.collection(name).get(id).then(versionOf, caught);
      if (isOver) return;
      if (!(now instanceof Problem)) setFound(now);
      else if (now.code === 'not_found') setFound('gone');
    };
    const unlisten = quietApi.events.listen({
      collection: name,
      // The answer with one record does not say how far the log had come, so it is read once more.
      after: null,
      hear: (event) => {
        if (event.data.id === id) void look();
      },
      missed: () => void look(),
    });
    return () => {
      isOver = true;
      unlisten();
    };
  }, [quietApi, name, events, id]);

  const elsewhere = found !== 'gone' && found?.etag === etag ? null : found;
  const what = elsewhere === null ? '' : elsewhere === 'gone' ? 'deleted' : 'changed';
  useEffect(() => {
    if (what !== '') announce(`It was ${what} elsewhere.`);
  }, [what]);
  return elsewhere;
}
