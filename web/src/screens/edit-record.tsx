import type { Outcome } from '../api/api.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useHouse } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { RecordEditor, type Version } from '../records/record-editor.tsx';

interface EditRecordProps {
  readonly collection: Collection;
  readonly id: string;
}

/** A record that exists, in the version that is about to be changed. */
export function EditRecord({ collection, id }: EditRecordProps) {
  const { api } = useHouse();
  const load = async (): Promise<Outcome<Version>> => {
    const outcome = await api.get<RecordItem>(`/${collection.name}/${encodeURIComponent(id)}`);
    return outcome.ok ? { ...outcome, body: { record: outcome.body, etag: outcome.etag ?? '*' } } : outcome;
  };
  const { value, problem, isLoading, reload } = useLoad(load, id);
  return (
    <Screen title="Edit" lead={collection.title}>
      <p class="back">
        <a href={linkTo('data', collection.name)}>← {collection.title}</a>
      </p>
      {value === null && isLoading && <Loading what="the record" />}
      {problem !== null && !isLoading && (
        <ProblemNotice problem={problem} onRetry={problem.code === 'not_found' ? undefined : reload} />
      )}
      {value !== null && <RecordEditor collection={collection} version={value} />}
    </Screen>
  );
}
