import { useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { fieldErrorsOf } from '../api/problem.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useHouse } from '../parts/context.ts';
import { Screen } from '../parts/screen.tsx';
import { goTo, linkTo } from '../parts/use-route.ts';
import { RecordForm } from '../records/record-form.tsx';
import { useDraft } from '../records/use-draft.ts';
import { draftOf } from '../schema/draft.ts';
import { fieldsOfSchema } from '../schema/shape.ts';

/** A new record. The same try carries the same key, so that one that got no answer can be repeated without a second record. */
export function NewRecord({ collection }: { readonly collection: Collection }) {
  const { api, announce } = useHouse();
  const fields = fieldsOfSchema(collection.schema);
  const { kept, isOld, change, drop } = useDraft(`${collection.name}.new`, () => ({
    draft: draftOf(fields, {}),
    version: crypto.randomUUID() as string,
  }));
  const [problem, setProblem] = useState<Problem | null>(null);

  const save = async (values: Record<string, unknown>) => {
    setProblem(null);
    announce('');
    const headers = { 'idempotency-key': kept.version };
    const outcome = await api.post<RecordItem>(`/${collection.name}`, { body: values, headers });
    if (!outcome.ok) {
      // The earlier try arrived after all, with other words: these are a record of their own.
      if (/^idempotency_/.test(outcome.problem.code)) change({ ...kept, version: crypto.randomUUID() });
      return setProblem(outcome.problem);
    }
    drop();
    announce('Saved.');
    goTo('data', collection.name);
  };

  return (
    <Screen title="New" lead={collection.title}>
      <p class="back">
        <a href={linkTo('data', collection.name)}>← {collection.title}</a>
      </p>
      <RecordForm
        fields={fields}
        draft={kept.draft}
        isOldDraft={isOld}
        problem={problem}
        errors={problem === null ? [] : fieldErrorsOf(problem)}
        onChange={(draft) => change({ ...kept, draft })}
        onDiscard={drop}
        onSave={save}
        cancelTo={linkTo('data', collection.name)}
      />
    </Screen>
  );
}
