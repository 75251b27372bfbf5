import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { kindOf, sentenceOf } from '../events/sentence.ts';
import { Places } from '../lists/places.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { useCards } from '../people/use-cards.ts';
import { isOwn } from '../records/check-owner.ts';
import { Children } from '../records/children.tsx';
import { homeOf, placesOf } from '../records/family.ts';
import { History } from '../records/history.tsx';
import { MembersCard } from '../records/members-card.tsx';
import { eventsOf } from '../records/record-events.ts';
import { Details, RecordHead } from '../records/record-head.tsx';
import { nameOf } from '../records/record-name.ts';
import {
  isReadByEveryone,
  lossOf,
  readsWithoutInvitation,
  seesMembers,
  withOwner,
} from '../records/roles.ts';
import { lossTitle } from '../records/use-elsewhere.ts';

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

/** One record: what it says, the records under it, places, members and history. Updated live. */
export function OpenRecord({ collection, above, id }: OpenRecordProps) {
  const { api, quietApi, writes, announce } = useApp();
  const { name, title, children = [] } = collection;
  const isLoaded = useRef(false);
  const load = () => read(isLoaded.current ? quietApi : api, collection, id);
  const { value, problem, isLoading, reload } = useLoad(load, id);
  isLoaded.current ||= value !== null;
  const lastKind = useRef('');
  const shown = useRef<RecordItem | undefined>(undefined);
  shown.current = value?.record;
  const [isGone, setGone] = useState(false);
  const events = eventsOf(quietApi, collection, id, value?.record);

  useEffect(() => {
    const follow = (kind: string) => {
      lastKind.current = kind;
      if (isEnd(collection, shown.current, kind)) return setGone(true);
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

  useCards([
    [collection, value?.record],
    [above, value?.parent],
  ]);
  const isLost = value !== null && (isGone || problem?.code === 'not_found');
  const loss = isLost ? lossOf(collection, value.record, lastKind.current) : null;
  const recordName = value === null ? '' : nameOf(collection, value.record);
  useEffect(() => {
    if (value === null || loss === null) return;
    const happening = { type: `${name}.${loss}`, data: { state: null } };
    announce(sentenceOf(collection, happening, recordName));
  }, [loss]);

  const parent = value?.parent ?? null;
  const isUnder = above !== undefined && parent !== null;
  const home = isUnder ? homeOf(collection, value?.record ?? null) : ['data', name];
  const isThere = value !== null && loss === null;
  return (
    <Screen
      isRecord={isThere}
      title={value === null ? title : recordName}
      back={{ href: linkTo(...home), label: isUnder ? nameOf(above, parent) : title }}
      actions={
        value !== null &&
        collection.events !== 'none' && <Connection events={events} isRead={problem === null} />
      }
    >
      {value === null && isLoading && <Loading what={title} rows={6} />}
      {problem !== null && loss === null && !isLoading && (
        <ProblemNotice problem={problem} context="shared" collection={collection} onRetry={reload} />
      )}
      {loss !== null && <Notice tone="plain" title={lossTitle(collection, loss)} />}
      {isThere && (
        <div class="record">
          <div class="record-main">
            <RecordHead
              collection={collection}
              record={value.record}
              onChanged={reload}
              onGone={() => goTo(...home)}
            />
            {children.map((child) => (
              <Children
                key={child.name}
                collection={child}
                above={value.record}
                events={events}
                onCounted={reload}
              />
            ))}
            <Details collection={collection} record={value.record} />
          </div>
          <aside class="record-side" aria-label={t.record.more}>
            {placesOf(collection, value.record) !== null && (
              <section class="card">
                <Places collection={collection} record={value.record} isBig />
              </section>
            )}
            {seesMembers(collection, value.record) && (
              <MembersCard collection={collection} record={value.record} />
            )}
            {collection.history && (
              <History collection={collection} record={value.record} isOpen={children.length === 0} />
            )}
          </aside>
        </div>
      )}
    </Screen>
  );
}

/** True if nothing is left to read after an event of this kind. */
function isEnd(collection: Collection, record: RecordItem | undefined, kind: string): boolean {
  if (record === undefined) return false;
  return (
    kind === 'deleted' ||
    kind === 'expired' ||
    (kind === 'left' && !readsWithoutInvitation(collection, record))
  );
}

async function read(from: Api, collection: Collection, id: string): Promise<Opened> {
  const { name, parent } = collection;
  const read = await from.collection(name).get(id);
  const isUnnamed = read.roles === undefined && isReadByEveryone(collection);
  const record = isUnnamed ? withOwner(read, await isOwn(from, collection, read)) : read;
  if (parent === undefined) return { record, parent: null };
  // An owner can read a record after it has lost access to the parent.
  const found = await from
    .collection(parent.collection)
    .get(String(record[parent.field]))
    .catch(() => null);
  return { record, parent: found };
}
