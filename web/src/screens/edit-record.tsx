import type { Problem } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { checkOwner } from '../records/check-owner.ts';
import { singularOf } from '../records/collection-words.ts';
import { RecordEditor } from '../records/record-editor.tsx';
import { nameOf } from '../records/record-name.ts';
import { isShared } from '../records/roles.ts';
import { type Version, versionOf } from '../records/use-elsewhere.ts';

interface EditRecordProps {
  readonly collection: Collection;
  readonly id: string;
}

/** The form for a record that exists. */
export function EditRecord({ collection, id }: EditRecordProps) {
  const { api } = useApp();
  const load = async (): Promise<Version> => {
    const record = await api.collection(collection.name).get(id);
    await checkOwner(api, collection, record);
    return versionOf(record);
  };
  const { value, problem, isLoading, reload } = useLoad(load, id);
  const name = value === null ? collection.title : nameOf(collection, value.record);
  return (
    <Screen
      title={t.editOne(singularOf(collection))}
      back={{ href: linkTo('data', collection.name, id, 'open'), label: name }}
    >
      <div class="page narrow">
        {value === null && isLoading && <Loading what={collection.title} />}
        {problem !== null && !isLoading && (
          <ProblemNotice
            problem={problem}
            context={isShared(collection) ? 'shared' : ''}
            collection={collection}
            onRetry={isFinal(problem) ? undefined : reload}
          />
        )}
        {value !== null && <RecordEditor collection={collection} version={value} />}
      </div>
    </Screen>
  );
}

/** True if another try would have the same result. */
function isFinal({ code }: Problem): boolean {
  return code === 'not_found' || code === 'not_owner';
}
