import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { BusyButton } from '../parts/busy-button.tsx';
import { later } from '../parts/later.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { t } from '../parts/words.ts';
import { searchedFields } from '../records/search-box.tsx';
import type { ListView } from '../records/use-list.ts';
import type { View } from './plan.ts';
import { Rows } from './rows.tsx';
import { useDeeds } from './use-deeds.tsx';

const Agenda = later(() => import('./agenda.tsx').then((found) => found.Agenda));
const Board = later(() => import('./board.tsx').then((found) => found.Board));

const SelectionBar = later(
  () => import('../records/selection-bar.tsx').then((found) => found.SelectionBar),
  true,
);

interface ListBodyProps {
  readonly view: ListView;
  readonly shown: View;
  /** Shown while there is no record, and no filter. */
  readonly empty: ComponentChildren;
}

/** The fetched records in one of the views; what an empty list says; more of them when its end comes into view. */
export function ListBody({ view, shown, empty }: ListBodyProps) {
  const { collection, choice, records, selection, isFiltered } = view;
  const { items, problem, isLoading, hasMore, reload } = records;
  const deeds = useDeeds(collection, { onChanged: view.onChanged, onGone: view.onGone });
  const isEmpty = items?.length === 0 && !isLoading && problem === null;
  const drawn = { view, deeds, items: items ?? [] };
  const found = choice.q === '' ? null : view.count;
  return (
    <>
      <p class="hidden" role="status">
        {found !== null && t.list.found(found.count, found.isLeast)}
      </p>
      {problem !== null && !isLoading && <ProblemNotice problem={problem} onRetry={() => void reload()} />}
      {items === null && isLoading && <Loading what={collection.title} rows={view.isUnder ? 3 : 8} />}
      {items !== null && items.length > 0 && (
        <>
          {shown === 'board' && <Board {...drawn} />}
          {shown === 'agenda' && <Agenda {...drawn} />}
          {(shown === 'list' || shown === 'table') && <Rows {...drawn} isTable={shown === 'table'} />}
        </>
      )}
      {isEmpty && (isFiltered ? <NothingFound view={view} /> : <div class="empty">{empty}</div>)}
      {hasMore && problem === null && <More view={view} isSearch={isEmpty} />}
      {selection.isOn && items !== null && (
        <SelectionBar
          collection={collection}
          items={items}
          selection={selection}
          onDone={({ deleted, changed }) => {
            selection.end();
            if (deleted.length > 0) view.onGone(...deleted);
            else view.onChanged(...changed);
            view.focusOn(0);
          }}
          onRefused={() => void view.refresh()}
          onEnd={() => {
            selection.end();
            view.focusOn(0);
          }}
        />
      )}
      {deeds.dialogs}
    </>
  );
}

/** Loads the next page when it comes into view, or at a press. */
function More({ view, isSearch }: { readonly view: ListView; readonly isSearch: boolean }) {
  const place = useRef<HTMLParagraphElement>(null);
  const { isLoading, more } = view.records;
  const latest = useRef({ isLoading, more });
  latest.current = { isLoading, more };
  useEffect(() => {
    if (place.current === null || isSearch) return;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && !latest.current.isLoading && void latest.current.more(),
      { rootMargin: '600px' },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isSearch, view.records.items?.length]);
  return (
    <p ref={place} class="more">
      <BusyButton class="small" busyLabel={t.moment} onPress={view.more}>
        {isSearch ? t.list.searchOlder : t.list.showMore}
      </BusyButton>
    </p>
  );
}

/** A search or a filter has found nothing: says what to try next. */
function NothingFound({ view }: { readonly view: ListView }) {
  const { collection, choice, records, clear } = view;
  const isSearch = choice.q !== '';
  return (
    <div class="empty">
      <p class="empty-title">{isSearch ? t.list.nothingFor(choice.q) : t.list.emptyHere(collection.title)}</p>
      {isSearch && (
        <p class="soft">
          {records.hasMore ? t.list.onlyNewest : t.list.searchHint(searchedFields(collection))}
        </p>
      )}
      <button type="button" onClick={clear}>
        {isSearch ? t.list.clearSearch : t.list.showAll}
      </button>
    </div>
  );
}
