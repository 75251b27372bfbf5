import { useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { ListControls } from '../records/list-controls.tsx';
import { NewLink, useMayCreate, whoCreates } from '../records/may-create.tsx';
import { RecordCard } from '../records/record-card.tsx';
import { RecordList } from '../records/record-list.tsx';
import { isReadByEveryone } from '../records/roles.ts';
import { UsageMeters } from '../records/usage-meters.tsx';
import { useListFocus } from '../records/use-list-focus.ts';
import { useLiveRecords } from '../records/use-live-records.ts';
import { type ListChoice, useRecords } from '../records/use-records.ts';
import { whoReads } from '../records/who-reads.ts';
import { displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';

/** One collection: the caller's records in it, and how many more it may have. */
export function CollectionScreen({ collection }: { readonly collection: Collection }) {
  const { quietApi } = useApp();
  const [choice, setChoice] = useState<ListChoice>({ role: '', state: '', sort: '-created_at' });
  const records = useRecords(collection, choice);
  const usage = useLoad(() => quietApi.usage(), 'usage');
  const used = usage.value?.collections.find(({ name }) => name === collection.name);
  const { list, focusOn, keepFocus } = useListFocus();
  const { parent } = collection;
  const isFiltered = choice.state !== '' || choice.role !== '';

  const more = async () => {
    const before = records.items?.length ?? 0;
    await records.more();
    focusOn(before);
  };
  const onChanged = (record: RecordItem) => {
    records.replace(record);
    usage.reload();
  };
  const onGone = (id: string) => {
    records.drop(id);
    usage.reload();
    focusOn(0);
  };
  useLiveRecords(collection, records, {
    isFiltered,
    around: keepFocus,
    onHeard: usage.reload,
  });

  return (
    <Screen
      title={collection.title}
      lead={collection.description}
      aside={<NewLink collection={collection}>New</NewLink>}
    >
      <p class="back">
        <a href={linkTo('data')}>← Your data</a>
      </p>
      {parent && (
        <p class="soft">{`To make a new one, open the ${inWords(parent.field).toLowerCase()} that it belongs to.`}</p>
      )}
      {isReadByEveryone(collection) && !parent && (
        <p class="soft">
          {choice.role === '' && 'This list shows only your own. '}
          {whoReads(collection)} <EverybodysLink collection={collection} />
        </p>
      )}
      {useMayCreate(collection) === false && !parent && <p class="soft">{whoCreates(collection)}</p>}
      <Deprecation collection={collection} />
      <div class="list-head">
        <ListControls collection={collection} choice={choice} onChoose={setChoice} />
        {collection.events !== 'none' && (
          <Connection events={quietApi.events} isRead={records.problem === null} />
        )}
      </div>
      <RecordList
        title={collection.title}
        records={records}
        isFiltered={isFiltered}
        list={list}
        emptyTitle="You have nothing here yet"
        emptyAdvice={<FirstOne collection={collection} />}
        onMore={more}
      >
        {(record) => (
          <RecordCard
            key={record.id}
            collection={collection}
            record={record}
            onChanged={onChanged}
            onGone={onGone}
          />
        )}
      </RecordList>
      {used !== undefined && <UsageMeters usage={used} />}
      {used === undefined && usage.isLoading && <Loading what="usage" rows={1} />}
    </Screen>
  );
}

function FirstOne({ collection }: { readonly collection: Collection }) {
  return (
    <>
      {!isReadByEveryone(collection) && <p>{whoReads(collection)}</p>}
      <NewLink collection={collection}>Make the first one</NewLink>
    </>
  );
}

function EverybodysLink({ collection: { name, title } }: { readonly collection: Collection }) {
  return (
    <a href={linkTo('everybodys', name)}>
      See everybody’s<span class="hidden"> {title}</span>
    </a>
  );
}

function Deprecation({ collection: { deprecated } }: { readonly collection: Collection }) {
  if (deprecated === undefined) return null;
  return (
    <Notice tone="plain" title="This collection is on its way out">
      <p>
        {deprecated.sunset === null
          ? 'It will not be served for ever.'
          : `It ends on ${displayMoment(deprecated.sunset)}.`}{' '}
        {deprecated.link !== null && <a href={deprecated.link}>Read more</a>}
      </p>
    </Notice>
  );
}
