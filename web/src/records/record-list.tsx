import type { ComponentChild, ComponentChildren, Ref } from 'preact';
import type { RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import type { Records } from './use-records.ts';

interface RecordListProps {
  readonly title: string;
  readonly records: Records;
  /** The list shows one state or role of many. */
  readonly isFiltered: boolean;
  readonly list?: Ref<HTMLUListElement>;
  readonly emptyTitle?: string;
  /** What stands below that title. */
  readonly emptyAdvice?: ComponentChildren;
  onMore?(): Promise<void>;
  /** One record, as an item of the list. */
  children(record: RecordItem): ComponentChild;
}

/** The records that were fetched; while there are none, why; and the way to more of them. */
export function RecordList({
  title,
  records: { items, problem, isLoading, hasMore, more, reload },
  isFiltered,
  list = null,
  emptyTitle = 'Nothing here yet',
  emptyAdvice,
  onMore = more,
  children,
}: RecordListProps) {
  return (
    <>
      {items !== null && items.length > 0 && (
        <ul class="records" ref={list} aria-label={title}>
          {items.map(children)}
        </ul>
      )}
      {problem !== null && !isLoading && <ProblemNotice problem={problem} onRetry={() => void reload()} />}
      {items === null && isLoading && <Loading what={title} rows={4} />}
      {items?.length === 0 && !isLoading && problem === null && (
        <div class="empty" role="status">
          <p class="empty-title">{isFiltered ? 'None like that' : emptyTitle}</p>
          {!isFiltered && emptyAdvice}
        </div>
      )}
      {hasMore && problem === null && (
        <p class="more">
          <BusyButton busyLabel="Loading…" onPress={onMore}>
            Show more
          </BusyButton>
        </p>
      )}
    </>
  );
}
