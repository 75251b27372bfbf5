import { useState } from 'preact/hooks';
import type { Collection } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Screen } from '../parts/screen.tsx';
import { linkTo } from '../parts/use-route.ts';
import { ListControls } from '../records/list-controls.tsx';
import { RecordFacts, RecordTimes } from '../records/record-facts.tsx';
import { RecordList } from '../records/record-list.tsx';
import { type ListChoice, useRecords } from '../records/use-records.ts';

/**
 * What everybody has in a collection that everybody reads. To be read only: nothing tells whose a record is, and a change
 * of somebody else's would be refused. Events tell of one's own records alone, so nothing here is called live.
 */
export function Everybodys({ collection }: { readonly collection: Collection }) {
  const [choice, setChoice] = useState<ListChoice>({ state: '', sort: '-created_at' });
  const records = useRecords(collection, choice, true);
  const { name, title } = collection;
  return (
    <Screen title={`${title}: everybody’s`} lead={collection.description}>
      <p class="back">
        <a href={linkTo('data', name)}>← Your {title}</a>
      </p>
      <p class="soft">
        What everybody who signs in has made here, and nobody’s name with it. What is yours you can change
        under <a href={linkTo('data', name)}>Your {title}</a>.
      </p>
      <div class="list-head">
        <ListControls collection={collection} choice={choice} isEverybodys onChoose={setChoice} />
        <BusyButton class="small" busyLabel="Loading…" onPress={records.reload}>
          Load again
        </BusyButton>
      </div>
      <RecordList title={title} records={records} isFiltered={choice.state !== ''}>
        {(record) => (
          <li key={record.id} class="card record">
            <RecordFacts collection={collection} record={record} />
            <div class="record-foot">
              <RecordTimes record={record} />
            </div>
          </li>
        )}
      </RecordList>
    </Screen>
  );
}
