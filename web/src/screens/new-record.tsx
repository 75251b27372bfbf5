import type { Problem } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { singularOf } from '../records/collection-words.ts';
import { editableFields } from '../records/form-fields.ts';
import { useMayCreate, whoCreates } from '../records/may-create.tsx';
import { RecordForm } from '../records/record-form.tsx';
import { isListedAtFirst, isReadByEveryone } from '../records/roles.ts';
import { useDraft } from '../records/use-draft.ts';
import { whoReads } from '../records/who-reads.ts';
import { draftOf } from '../schema/draft.ts';
import { inWords } from '../schema/shape.ts';

interface NewRecordProps {
  readonly collection: Collection;
  /** The id of the parent. */
  readonly parentId: string | undefined;
}

export function NewRecord({ collection, parentId }: NewRecordProps) {
  const { parent } = collection;
  const isAllowed = useMayCreate(collection);
  // The screen of the parent has checked it; the service decides.
  const mayCreate = parent !== undefined || isAllowed;
  const home = parent && parentId ? ['data', parent.collection, parentId, 'open'] : ['data', collection.name];
  return (
    <Screen
      title={t.newOne(singularOf(collection))}
      lead={collection.description}
      back={{ href: linkTo(...home), label: parent ? inWords(parent.field) : collection.title }}
    >
      <div class="page narrow">
        {mayCreate === null && <Loading what={collection.title} />}
        {mayCreate === false && (
          <Notice tone="plain" title={t.list.mayNotCreate}>
            <p>{whoCreates(collection)}</p>
          </Notice>
        )}
        {mayCreate && <NewForm collection={collection} parentId={parentId} home={home} />}
      </div>
    </Screen>
  );
}

/** A repeated try sends the same idempotency key, so that it makes no second record. */
function NewForm({ collection, parentId, home }: NewRecordProps & { readonly home: readonly string[] }) {
  const { api, announce } = useApp();
  const fields = editableFields(collection);
  const { kept, isOld, change, drop } = useDraft(`${collection.name}.new${parentId ?? ''}`, () => ({
    draft: draftOf(fields, {}),
    version: crypto.randomUUID() as string,
  }));
  const { problem, attempt } = useAttempt();

  const save = (values: Record<string, unknown>) =>
    attempt(async () => {
      try {
        const { parent } = collection;
        const body = parent ? { ...values, [parent.field]: parentId } : values;
        const key = { idempotencyKey: kept.version };
        const { id } = await api.collection(collection.name).create(body, key);
        drop();
        announce(t.saved(singularOf(collection)));
        // The list has it, unless that is of everybody, who cannot read it yet.
        if (parent !== undefined || isListedAtFirst(collection)) goTo(...home);
        else goTo('data', collection.name, id, 'open');
      } catch (error) {
        // An earlier try arrived with other values: these become another record.
        if (/^idempotency_/.test((error as Problem).code)) change({ ...kept, version: crypto.randomUUID() });
        throw error;
      }
    });

  return (
    <>
      {isReadByEveryone(collection) && (
        <Notice tone="plain" title={t.form.everybody}>
          <p>{whoReads(collection)}</p>
        </Notice>
      )}
      <RecordForm
        fields={fields}
        draft={kept.draft}
        isOldDraft={isOld}
        problem={problem}
        collection={collection}
        label={t.saveOne(singularOf(collection))}
        context={parentId === undefined ? '' : 'under'}
        onChange={(draft) => change({ ...kept, draft })}
        onDiscard={drop}
        onSave={save}
        cancel={
          <a class="button" href={linkTo(...home)} onClick={drop}>
            {t.cancel}
          </a>
        }
      />
    </>
  );
}
