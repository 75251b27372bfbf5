import type { ComponentChild, ComponentChildren } from 'preact';
import type { RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { NothingFound } from './nothing-found.tsx';
import { RecordCard } from './record-card.tsx';
import { SelectableCard } from './selectable-card.tsx';
import { maySelect } from './selection-actions.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { ListView } from './use-list.ts';

interface RecordListProps {
  readonly view: ListView;
  /** Shown beside the number of records. */
  readonly aside?: ComponentChildren;
  /** Heading level of the records. */
  readonly level?: 2 | 3;
  /** Shown instead of the records while there are none. */
  readonly empty: ComponentChildren;
  /** Renders one record, if it is not to be a card with buttons. */
  readonly children?: ((record: RecordItem) => ComponentChild) | undefined;
}

/** The fetched records, their number, a button for more; an empty list says what to do next. */
export function RecordList({ view, aside, level = 2, empty, children }: RecordListProps) {
  const { collection, records, list, isFiltered, selection, countText } = view;
  const { items, problem, isLoading, hasMore, reload } = records;
  const isEmpty = items?.length === 0 && !isLoading && problem === null;
  const hasSelect =
    children === undefined && items !== null && !selection.isOn && maySelect(collection, items);
  const card =
    children ??
    ((record: RecordItem) => (
      <RecordCard
        key={record.id}
        collection={collection}
        record={record}
        level={level}
        onChanged={view.onChanged}
        onGone={view.onGone}
      />
    ));
  const selectable = (record: RecordItem) => (
    <SelectableCard
      key={record.id}
      collection={collection}
      record={record}
      level={level}
      selection={selection}
    />
  );
  const endSelection = () => {
    selection.end();
    view.focusOn(0);
  };
  return (
    <>
      <div class="list-foot">
        {/* An empty list says the same in its own words. */}
        <p class={isEmpty ? 'hidden' : 'soft'} aria-live={isFiltered ? 'polite' : 'off'}>
          {countText}
        </p>
        {aside}
        {hasSelect && (
          <button type="button" class="small" onClick={view.beginSelection}>
            Select
          </button>
        )}
      </div>
      {items !== null && items.length > 0 && (
        <ul class="records" ref={list} aria-label={collection.title}>
          {items.map(selection.isOn ? selectable : card)}
        </ul>
      )}
      {problem !== null && !isLoading && <ProblemNotice problem={problem} onRetry={() => void reload()} />}
      {items === null && isLoading && <Loading what={collection.title} rows={4} />}
      {isEmpty && (isFiltered ? <NothingFound view={view} /> : <div class="empty">{empty}</div>)}
      {hasMore && problem === null && (
        <p class="more">
          <BusyButton busyLabel="Loading…" onPress={view.more}>
            {isEmpty ? 'Search older records' : 'Show more'}
          </BusyButton>
        </p>
      )}
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
          onEnd={endSelection}
        />
      )}
    </>
  );
}
