import { useState } from 'preact/hooks';
import type { HistoryEntry } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useLoad } from '../parts/use-load.ts';
import { t } from '../parts/words.ts';
import { displayMoment } from '../schema/display.ts';
import { historyInWords } from './history-words.ts';

const pageSize = 20;

interface HistoryProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  /** Open at first: nothing else is below the record. */
  readonly isOpen: boolean;
}

/** The history of a record. It is loaded when it is opened, and again when the record changes. */
export function History({ collection, record, isOpen: isOpenAtFirst }: HistoryProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details class="card history" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{t.history.title}</h2>
      </summary>
      {isOpen && <Timeline collection={collection} record={record} />}
    </details>
  );
}

function Timeline({ collection, record }: Omit<HistoryProps, 'isOpen'>) {
  const { quietApi } = useApp();
  const [limit, setLimit] = useState(pageSize);
  const load = async () => {
    const entries: HistoryEntry[] = [];
    for await (const entry of quietApi.collection(collection.name).history(record.id))
      if (entries.push(entry) > limit) break;
    return entries;
  };
  const { value, problem, isLoading, reload } = useLoad(
    load,
    `${limit} ${record.updated_at} ${record.state}`,
  );
  return (
    <>
      <p class="soft">{t.history.roles}</p>
      {value === null && isLoading && <Loading what={t.history.title} rows={2} />}
      {problem !== null && !isLoading && (
        <ProblemNotice problem={problem} context="shared" collection={collection} onRetry={reload} />
      )}
      {value !== null && (
        <ol class="timeline" aria-label={t.history.title}>
          {value.slice(0, limit).map((entry, index) => (
            <Entry key={index} collection={collection} entry={entry} />
          ))}
        </ol>
      )}
      {value !== null && value.length > limit && (
        <button type="button" class="small" onClick={() => setLimit(limit + pageSize)}>
          {t.list.showMore}
        </button>
      )}
    </>
  );
}

function Entry({ collection, entry }: { readonly collection: Collection; readonly entry: HistoryEntry }) {
  const { what, who, states } = historyInWords(collection, entry);
  return (
    <li>
      <p>
        <strong>{what}</strong> {who}
      </p>
      {states !== null && (
        <p>
          <span class="hidden">{t.history.from}</span> {states.from} <span aria-hidden="true">→</span>
          <span class="hidden">{t.history.to}</span> {states.to}
        </p>
      )}
      <p class="soft">
        <time dateTime={entry.at}>{displayMoment(entry.at)}</time>
      </p>
    </li>
  );
}
