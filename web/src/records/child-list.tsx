import { useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { mayCreateUnder, whyClosed } from './family.ts';
import { ListControls } from './list-controls.tsx';
import { RecordCard } from './record-card.tsx';
import { RecordList } from './record-list.tsx';
import { useListFocus } from './use-list-focus.ts';
import { useLiveRecords } from './use-live-records.ts';
import { type ListChoice, useRecords } from './use-records.ts';

interface ChildListProps {
  readonly collection: Collection;
  /** The record that they are under. */
  readonly above: RecordItem;
  readonly events: Events;
  /** What the record above shows of them may have changed. */
  onCounted(): void;
}

/** The records of one collection that are under a record, with the way to a new one. */
export function ChildList({ collection, above, events, onCounted }: ChildListProps) {
  const { name, title, description } = collection;
  const [choice, setChoice] = useState<ListChoice>({ role: '', state: '', sort: '-created_at' });
  const records = useRecords(collection, choice, { parentId: above.id });
  const { list, focusOn, keepFocus } = useListFocus();
  const isFiltered = choice.state !== '';
  const mayCreate = useMayCreateUnder(collection, above);
  const closed = whyClosed(collection, above);
  useLiveRecords(collection, records, { events, isFiltered, around: keepFocus, onHeard: onCounted });

  const more = async () => {
    const before = records.items?.length ?? 0;
    await records.more();
    focusOn(before);
  };
  const onChanged = (record: RecordItem) => {
    records.replace(record);
    onCounted();
  };
  const onGone = (id: string) => {
    records.drop(id);
    onCounted();
    focusOn(0);
  };

  return (
    <section class="children" aria-labelledby={`under-${name}`}>
      <div class="screen-head">
        <div>
          <h2 id={`under-${name}`}>{title}</h2>
          {description && <p class="soft">{description}</p>}
          {mayCreate && closed !== null && <p class="soft">{closed}</p>}
        </div>
        {mayCreate && closed === null && (
          <a class="button primary" href={linkTo('data', name, 'new', above.id)}>
            New<span class="hidden"> in {title}</span>
          </a>
        )}
      </div>
      {(isFiltered || (records.items?.length ?? 0) > 1) && (
        <ListControls collection={collection} choice={choice} isUnder onChoose={setChoice} />
      )}
      <RecordList title={title} records={records} isFiltered={isFiltered} list={list} onMore={more}>
        {(record) => (
          <RecordCard
            key={record.id}
            collection={collection}
            record={record}
            level={3}
            onChanged={onChanged}
            onGone={onGone}
          />
        )}
      </RecordList>
    </section>
  );
}

/** The roles in the record above decide, or the scopes of the token. */
function useMayCreateUnder(collection: Collection, above: RecordItem): boolean {
  const { quietApi } = useApp();
  const { name, roles = {} } = collection;
  const needsScopes = Object.values(roles).some(({ scope }) => scope !== undefined);
  const scopes = useLoad(async () => (needsScopes ? (await quietApi.me()).scopes : []), name);
  return mayCreateUnder(collection, above, scopes.value ?? []);
}
