import { useEffect } from 'preact/hooks';
import type { Collection } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { Filters } from '../lists/filters.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { planOf } from '../lists/plan.ts';
import { useView, ViewTabs } from '../lists/view-tabs.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Notice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { t } from '../parts/words.ts';
import { NewLink, useMayCreate, whoCreates } from '../records/may-create.tsx';
import { isShared } from '../records/roles.ts';
import { SearchBox } from '../records/search-box.tsx';
import { BudgetNotice } from '../records/usage-meters.tsx';
import { useList } from '../records/use-list.ts';
import { displayMoment, displayNumber } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';
import { rememberCollection } from '../session/traces.ts';

/** The records of one collection. */
export function CollectionScreen({ collection }: { readonly collection: Collection }) {
  const { quietApi } = useApp();
  const view = useList(collection);
  const { views } = planOf(collection);
  const [shown, setShown] = useView(collection, views);
  const { choice, setChoice, count, isEverybodys, records } = view;
  const { name, title, description, events, parent } = collection;
  useEffect(() => rememberCollection(name), [name]);
  const isLive = events !== 'none' && (!isEverybodys || isShared(collection));
  const mayCreate = useMayCreate(collection);

  return (
    <Screen
      title={title}
      count={count === null ? '' : t.list.count(displayNumber(count.count), count.isLeast)}
      actions={
        <>
          {isLive ? (
            <Connection
              events={isEverybodys ? quietApi.events.of(name) : quietApi.events}
              isRead={records.problem === null}
            />
          ) : (
            <BusyButton class="small quiet" busyLabel={t.moment} onPress={records.reload}>
              {t.list.reload}
            </BusyButton>
          )}
          {views.length > 1 && <ViewTabs views={views} shown={shown} onShow={setShown} />}
          {collection.search !== undefined && !isEverybodys && (
            <SearchBox
              collection={collection}
              q={choice.q}
              input={view.searchInput}
              onSearch={(q) => setChoice({ ...choice, q })}
            />
          )}
          <NewLink collection={collection} />
        </>
      }
    >
      <Filters view={view} />
      <Deprecation collection={collection} />
      <BudgetNotice collection={collection} />
      <ListBody
        view={view}
        shown={shown}
        empty={
          <>
            <p class="empty-title">{t.list.empty(title)}</p>
            {description && <p class="soft">{description}</p>}
            {parent && <p class="soft">{t.list.underParent(inWords(parent.field))}</p>}
            {mayCreate === false && !parent && <p class="soft">{whoCreates(collection)}</p>}
            <NewLink collection={collection} />
          </>
        }
      />
    </Screen>
  );
}

function Deprecation({ collection: { deprecated } }: { readonly collection: Collection }) {
  if (deprecated === undefined) return null;
  return (
    <Notice tone="plain" title={t.list.deprecated}>
      <p>
        {deprecated.sunset === null ? t.list.noSunset : t.list.sunset(displayMoment(deprecated.sunset))}{' '}
        {deprecated.link !== null && <a href={deprecated.link}>{t.list.readMore}</a>}
      </p>
    </Notice>
  );
}
