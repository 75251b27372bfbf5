import { useState } from 'preact/hooks';
import type { Collection } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Screen } from '../parts/screen.tsx';
import { linkTo } from '../parts/use-route.ts';
import { ListControls } from '../records/list-controls.tsx';
import { RecordCard } from '../records/record-card.tsx';
import { RecordFacts, RecordTimes } from '../records/record-facts.tsx';
import { RecordList } from '../records/record-list.tsx';
import { isShared } from '../records/roles.ts';
import { useListFocus } from '../records/use-list-focus.ts';
import { useLiveRecords } from '../records/use-live-records.ts';
import { type ListChoice, useRecords } from '../records/use-records.ts';

/**
 * All records of a collection that everybody reads. In a shared collection the list is live, and each record has the buttons
 * of what the caller may do. In any other it is to be read only: nothing tells whose a record is, and events tell of the
 * caller's own records alone.
 */
export function Everybodys({ collection }: { readonly collection: Collection }) {
  const { quietApi } = useApp();
  const [choice, setChoice] = useState<ListChoice>({ role: '', state: '', sort: '-created_at' });
  const records = useRecords(collection, choice, { isEverybodys: true });
  const { list, focusOn, keepFocus } = useListFocus();
  const { name, title } = collection;
  const isFiltered = choice.state !== '';
  const isLive = isShared(collection) && collection.events !== 'none';
  useLiveRecords(collection, records, { isFiltered, around: keepFocus, onHeard: () => {} });
  const onGone = (id: string) => {
    records.drop(id);
    focusOn(0);
  };

  return (
    <Screen title={`${title}: everybody’s`} lead={collection.description}>
      <p class="back">
        <a href={linkTo('data', name)}>← Your {title}</a>
      </p>
      <p class="soft">
        What everybody who signs in has made here, and nobody’s name with it.{' '}
        {!isShared(collection) && (
          <>
            What is yours you can change under <a href={linkTo('data', name)}>Your {title}</a>.
          </>
        )}
      </p>
      <div class="list-head">
        <ListControls collection={collection} choice={choice} isEverybodys onChoose={setChoice} />
        {isLive ? (
          <Connection events={quietApi.events.of(name)} isRead={records.problem === null} />
        ) : (
          <BusyButton class="small" busyLabel="Loading…" onPress={records.reload}>
            Load again
          </BusyButton>
        )}
      </div>
      <RecordList title={title} records={records} isFiltered={isFiltered} list={list}>
        {(record) =>
          isShared(collection) ? (
            <RecordCard
              key={record.id}
              collection={collection}
              record={record}
              onChanged={records.replace}
              onGone={onGone}
            />
          ) : (
            <li key={record.id} class="card record">
              <RecordFacts collection={collection} record={record} />
              <div class="record-foot">
                <RecordTimes record={record} />
              </div>
            </li>
          )
        }
      </RecordList>
    </Screen>
  );
}
