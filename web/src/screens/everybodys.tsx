import type { Collection, RecordItem } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Screen } from '../parts/screen.tsx';
import { linkTo } from '../parts/use-route.ts';
import { ListControls } from '../records/list-controls.tsx';
import { NewLink, useMayCreate, whoCreates } from '../records/may-create.tsx';
import { RecordFacts, RecordTimes } from '../records/record-facts.tsx';
import { RecordList } from '../records/record-list.tsx';
import { isShared } from '../records/roles.ts';
import { useList } from '../records/use-list.ts';

/**
 * The records of everybody in a collection that everyone can read. In a shared collection the list is live, and records have
 * buttons. In any other it is read-only: records do not name their owner, and events are about the caller's own records only.
 */
export function Everybodys({ collection }: { readonly collection: Collection }) {
  const { quietApi } = useApp();
  const view = useList(collection, { isEverybodys: true });
  const { records } = view;
  const { name, title } = collection;
  const mayCreate = useMayCreate(collection);
  const isLive = isShared(collection) && collection.events !== 'none';

  return (
    <Screen title={`${title}: everybody’s`} lead={collection.description}>
      <p class="back">
        <a href={linkTo('data', name)}>← Your {title}</a>
      </p>
      <p class="soft">
        These are the records of everybody who signs in, without names.{' '}
        {!isShared(collection) && (
          <>
            You can change yours under <a href={linkTo('data', name)}>Your {title}</a>.
          </>
        )}
      </p>
      <ListControls view={view} />
      <RecordList
        view={view}
        aside={
          isLive ? (
            <Connection events={quietApi.events.of(name)} isRead={records.problem === null} />
          ) : (
            <BusyButton class="small" busyLabel="Loading…" onPress={records.reload}>
              Load again
            </BusyButton>
          )
        }
        empty={
          <>
            <p class="empty-title">There are no records yet</p>
            {mayCreate === false && <p>{whoCreates(collection)}</p>}
            <NewLink collection={collection}>Make the first one</NewLink>
          </>
        }
      >
        {isShared(collection) ? undefined : (record) => <PlainCard collection={collection} record={record} />}
      </RecordList>
    </Screen>
  );
}

interface PlainCardProps {
  readonly collection: Collection;
  readonly record: RecordItem;
}

/** A record without buttons. */
function PlainCard({ collection, record }: PlainCardProps) {
  return (
    <li key={record.id} class="card record">
      <RecordFacts collection={collection} record={record} />
      <div class="record-foot">
        <RecordTimes record={record} />
      </div>
    </li>
  );
}
