import { useEffect, useRef } from 'preact/hooks';
import type { Api } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { kindOf, sentenceOf } from '../events/sentence.ts';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { ChildList } from '../records/child-list.tsx';
import { homeOf } from '../records/family.ts';
import { History } from '../records/history.tsx';
import { RecordCard } from '../records/record-card.tsx';
import { eventsOf } from '../records/record-events.ts';
import { nameOf } from '../records/record-name.ts';
import { lossOf } from '../records/roles.ts';
import { lossTitles } from '../records/use-elsewhere.ts';

interface OpenRecordProps {
  readonly collection: Collection;
  /** The collection of the parent. */
  readonly above: Collection | undefined;
  readonly id: string;
}

interface Opened {
  readonly record: RecordItem;
  /** The parent; null without one that the caller can read. */
  readonly parent: RecordItem | null;
}

/** One record with its history and the records under it, updated live. */
export function OpenRecord({ collection, above, id }: OpenRecordProps) {
  const { api, quietApi, writes, announce } = useApp();
  const { name, title, children = [] } = collection;
  const isLoaded = useRef(false);
  const load = () => read(isLoaded.current ? quietApi : api, collection, id);
  const { value, problem, isLoading, reload } = useLoad(load, id);
  isLoaded.current ||= value !== null;
  const lastKind = useRef('');
  const events = eventsOf(quietApi, collection, id, value?.record);

  useEffect(() => {
    const follow = (kind: string) => {
      lastKind.current = kind;
      // The event may be about a write of this page.
      void writes.settled().then(reload);
    };
    return events.listen({
      collection: name,
      after: null,
      hear: (event) => event.data.id === id && follow(kindOf(event.type)),
      missed: () => isLoaded.current && follow(''),
    });
  }, [events, name, id]);

  const isLost = value !== null && problem?.code === 'not_found';
  const loss = isLost ? lossOf(collection, value.record, lastKind.current) : null;
  useEffect(() => {
    if (value === null || loss === null) return;
    const happening = { type: `${name}.${loss}`, data: { state: null } };
    announce(sentenceOf(collection, happening, nameOf(collection, value.record)));
  }, [loss]);

  const parent = value?.parent ?? null;
  const isUnder = above !== undefined && parent !== null;
  const home = isUnder ? homeOf(collection, value?.record ?? null) : ['data', name];
  return (
    <Screen
      title={value === null ? title : nameOf(collection, value.record)}
      aside={
        value !== null &&
        collection.events !== 'none' && <Connection events={events} isRead={problem === null} />
      }
    >
      <p class="back">
        <a href={linkTo(...home)}>← {isUnder ? nameOf(above, parent) : title}</a>
      </p>
      {value === null && isLoading && <Loading what="the record" />}
      {problem !== null && loss === null && !isLoading && (
        <ProblemNotice problem={problem} context="shared" onRetry={reload} />
      )}
      {loss !== null && <Notice tone="plain" title={lossTitles[loss]} />}
      {value !== null && loss === null && (
        <>
          <ul class="records" aria-label={title}>
            <RecordCard
              collection={collection}
              record={value.record}
              level={1}
              onChanged={reload}
              onGone={() => goTo(...home)}
            />
          </ul>
          {collection.history && (
            <History collection={collection} record={value.record} isOpen={children.length === 0} />
          )}
          {children.map((child) => (
            <ChildList
              key={child.name}
              collection={child}
              above={value.record}
              events={events}
              onCounted={reload}
            />
          ))}
        </>
      )}
    </Screen>
  );
}

async function read(from: Api, { name, parent }: Collection, id: string): Promise<Opened> {
  const record = await from.collection(name).get(id);
  if (parent === undefined) return { record, parent: null };
  // An owner can read a record after it has lost access to the parent.
  const found = await from
    .collection(parent.collection)
    .get(String(record[parent.field]))
    .catch(() => null);
  return { record, parent: found };
}
