import { useRef, useState } from 'preact/hooks';
import type { Collection, RecordItem, Usage } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useHouse } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { ListControls } from '../records/list-controls.tsx';
import { RecordCard } from '../records/record-card.tsx';
import { UsageMeters } from '../records/usage-meters.tsx';
import { type ListChoice, useRecords } from '../records/use-records.ts';
import { displayMoment } from '../schema/display.ts';

/** One collection: what is in it, and what is left of what may be. */
export function CollectionScreen({ collection }: { readonly collection: Collection }) {
  const { api } = useHouse();
  const [choice, setChoice] = useState<ListChoice>({ state: '', sort: '-created_at' });
  const records = useRecords(collection, choice);
  const usage = useLoad<{ readonly collections: readonly Usage[] }>(() => api.get('/me/usage'), 'usage');
  const used = usage.value?.collections.find(({ name }) => name === collection.name);
  const list = useRef<HTMLUListElement>(null);

  /** Once it is drawn; where there is no such record any more, the title of the screen. */
  const focusOn = (position: number) =>
    setTimeout(() => {
      const titles = list.current?.querySelectorAll<HTMLElement>('.record-title') ?? [];
      (titles[position] ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    });
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

  return (
    <Screen
      title={collection.title}
      lead={collection.description}
      aside={
        <a class="button primary" href={linkTo('data', collection.name, 'new')}>
          New
        </a>
      }
    >
      <p class="back">
        <a href={linkTo('data')}>← Your data</a>
      </p>
      <Deprecation collection={collection} />
      {used !== undefined && <UsageMeters usage={used} />}
      {used === undefined && usage.isLoading && <Loading what="usage" rows={1} />}
      <ListControls collection={collection} choice={choice} onChoose={setChoice} />
      {records.items !== null && records.items.length > 0 && (
        <ul class="records" ref={list} aria-label={collection.title}>
          {records.items.map((record) => (
            <RecordCard
              key={record.id}
              collection={collection}
              record={record}
              onChanged={onChanged}
              onGone={onGone}
            />
          ))}
        </ul>
      )}
      {records.problem !== null && !records.isLoading && (
        <ProblemNotice problem={records.problem} onRetry={() => void records.reload()} />
      )}
      {records.items === null && records.isLoading && <Loading what={collection.title} rows={4} />}
      {records.items?.length === 0 && !records.isLoading && records.problem === null && (
        <Empty collection={collection} isFiltered={choice.state !== ''} />
      )}
      {records.hasMore && records.problem === null && (
        <p class="more">
          <BusyButton busyLabel="Loading…" onPress={more}>
            Show more
          </BusyButton>
        </p>
      )}
    </Screen>
  );
}

function Empty({
  collection,
  isFiltered,
}: {
  readonly collection: Collection;
  readonly isFiltered: boolean;
}) {
  if (isFiltered) {
    return (
      <div class="empty" role="status">
        <p class="empty-title">None in that state</p>
      </div>
    );
  }
  return (
    <div class="empty" role="status">
      <p class="empty-title">Nothing here yet</p>
      <p>Whatever you make stays between you and this service.</p>
      <a class="button primary" href={linkTo('data', collection.name, 'new')}>
        Make the first one
      </a>
    </div>
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
