import type { Problem } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useHouse } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { editableFields } from '../records/form-fields.ts';
import { useMayCreate, whoCreates } from '../records/may-create.tsx';
import { RecordForm } from '../records/record-form.tsx';
import { isReadByEveryone } from '../records/roles.ts';
import { useDraft } from '../records/use-draft.ts';
import { whoReads } from '../records/who-reads.ts';
import { draftOf } from '../schema/draft.ts';

export function NewRecord({ collection }: { readonly collection: Collection }) {
  const mayCreate = useMayCreate(collection);
  return (
    <Screen title={`New in ${collection.title}`} lead={collection.description}>
      <p class="back">
        <a href={linkTo('data', collection.name)}>← {collection.title}</a>
      </p>
      {mayCreate === null && <Loading what="the form" />}
      {mayCreate === false && (
        <Notice tone="plain" title="You cannot make anything here">
          <p>{whoCreates(collection)}</p>
        </Notice>
      )}
      {mayCreate && <NewForm collection={collection} />}
    </Screen>
  );
}

/** The same try carries the same key, so that one that got no answer can be repeated without a second record. */
function NewForm({ collection }: { readonly collection: Collection }) {
  const { api, announce } = useHouse();
  const fields = editableFields(collection);
  const { kept, isOld, change, drop } = useDraft(`${collection.name}.new`, () => ({
    draft: draftOf(fields, {}),
    version: crypto.randomUUID() as string,
  }));
  const { problem, attempt } = useAttempt();

  const save = (values: Record<string, unknown>) =>
    attempt(async () => {
      try {
        await api.collection(collection.name).create(values, { idempotencyKey: kept.version });
      } catch (error) {
        // The earlier try arrived after all, with other words: these are a record of their own.
        if (/^idempotency_/.test((error as Problem).code)) change({ ...kept, version: crypto.randomUUID() });
        throw error;
      }
      drop();
      announce('Saved.');
      goTo('data', collection.name);
    });

  return (
    <>
      {isReadByEveryone(collection) && (
        <Notice tone="plain" title="Not for you alone">
          <p>{whoReads(collection)}</p>
        </Notice>
      )}
      <RecordForm
        fields={fields}
        draft={kept.draft}
        isOldDraft={isOld}
        problem={problem}
        onChange={(draft) => change({ ...kept, draft })}
        onDiscard={drop}
        onSave={save}
        cancel={
          <a class="button" href={linkTo('data', collection.name)} onClick={drop}>
            Cancel
          </a>
        }
      />
    </>
  );
}
