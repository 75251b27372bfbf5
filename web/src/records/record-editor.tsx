import { useState } from 'preact/hooks';
import { fieldErrorsOf, type Problem } from '../api/problem.ts';
import { type Collection, fieldsOf, type RecordItem } from '../api/types.ts';
import { useHouse } from '../parts/context.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { draftOf } from '../schema/draft.ts';
import { fieldsOfSchema } from '../schema/shape.ts';
import { Conflict } from './conflict.tsx';
import { RecordForm } from './record-form.tsx';
import { useDraft } from './use-draft.ts';

export interface Version {
  readonly record: RecordItem;
  readonly etag: string;
}

interface Clash {
  readonly mine: Record<string, unknown>;
  readonly theirs: Version;
}

/** Changes a record, in the version that was read: whoever was faster is not overwritten unseen. */
export function RecordEditor({
  collection,
  version,
}: {
  readonly collection: Collection;
  readonly version: Version;
}) {
  const { api, announce } = useHouse();
  const { record, etag } = version;
  const fields = fieldsOfSchema(collection.schema);
  const { kept, isOld, change, drop } = useDraft(`${collection.name}.${record.id}`, () => ({
    draft: draftOf(fields, record),
    version: etag,
  }));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);

  const save = async (values: Record<string, unknown>, ofVersion: string) => {
    setProblem(null);
    announce('');
    const path = `/${collection.name}/${record.id}`;
    const outcome = await api.put<RecordItem>(path, { body: values, headers: { 'if-match': ofVersion } });
    if (outcome.ok) {
      drop();
      announce('Saved.');
      return goTo('data', collection.name);
    }
    if (outcome.problem.code !== 'precondition_failed') return setProblem(outcome.problem);
    const current = outcome.problem.document.current as RecordItem;
    setClash({ mine: values, theirs: { record: current, etag: outcome.problem.etag ?? '*' } });
  };

  if (clash !== null) {
    const { mine, theirs } = clash;
    return (
      <Conflict
        fields={fields}
        mine={mine}
        theirs={theirs.record}
        problem={problem}
        onSave={(values) => save(values, theirs.etag)}
        onEdit={(values) => {
          setClash(null);
          setProblem(null);
          change({ draft: draftOf(fields, values), version: theirs.etag });
        }}
        onGiveUp={() => {
          drop();
          goTo('data', collection.name);
        }}
      />
    );
  }
  // What the form does not know is left as it is.
  const unknown = Object.entries(fieldsOf(record)).filter(
    ([name]) => !fields.some((field) => field.name === name),
  );
  return (
    <RecordForm
      fields={fields}
      draft={kept.draft}
      isOldDraft={isOld}
      problem={problem}
      errors={problem === null ? [] : fieldErrorsOf(problem)}
      onChange={(draft) => change({ ...kept, draft })}
      onDiscard={drop}
      onSave={(values) => save({ ...Object.fromEntries(unknown), ...values }, kept.version)}
      cancelTo={linkTo('data', collection.name)}
    />
  );
}
