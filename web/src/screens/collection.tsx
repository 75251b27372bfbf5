import type { Collection } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { ListControls } from '../records/list-controls.tsx';
import { NewLink, useMayCreate, whoCreates } from '../records/may-create.tsx';
import { RecordList } from '../records/record-list.tsx';
import { isReadByEveryone } from '../records/roles.ts';
import { UsageMeters } from '../records/usage-meters.tsx';
import { useList } from '../records/use-list.ts';
import { whoReads } from '../records/who-reads.ts';
import { displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';

/** The caller's records in one collection, and how much of its limits is used. */
export function CollectionScreen({ collection }: { readonly collection: Collection }) {
  const { quietApi } = useApp();
  const usage = useLoad(() => quietApi.usage(), 'usage');
  const used = usage.value?.collections.find(({ name }) => name === collection.name);
  const view = useList(collection, { onChanged: usage.reload });
  const { choice, records } = view;
  const { parent } = collection;

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
      <ListControls view={view} />
      <RecordList
        view={view}
        aside={
          collection.events !== 'none' && (
            <Connection events={quietApi.events} isRead={records.problem === null} />
          )
        }
        empty={<FirstOne collection={collection} />}
      />
      {used !== undefined && <UsageMeters usage={used} />}
      {used === undefined && usage.isLoading && <Loading what="usage" rows={1} />}
    </Screen>
  );
}

function FirstOne({ collection }: { readonly collection: Collection }) {
  return (
    <>
      <p class="empty-title">You have nothing here yet</p>
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
    <Notice tone="plain" title="This collection will be removed">
      <p>
        {deprecated.sunset === null
          ? 'No date is set yet. Move your records elsewhere in time.'
          : `It ends on ${displayMoment(deprecated.sunset)}.`}{' '}
        {deprecated.link !== null && <a href={deprecated.link}>Read more</a>}
      </p>
    </Notice>
  );
}
