import { useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import { type Collection, fieldsOf, type RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useAttempt } from '../parts/use-attempt.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { draftOf } from '../schema/draft.ts';
import { ChangedElsewhere } from './changed-elsewhere.tsx';
import { singularOf } from './collection-words.ts';
import { Conflict } from './conflict.tsx';
import { homeOf } from './family.ts';
import { editableFields } from './form-fields.ts';
import { RecordForm } from './record-form.tsx';
import { useDraft } from './use-draft.ts';
import { useElsewhere, type Version } from './use-elsewhere.ts';

interface Clash {
  readonly mine: Record<string, unknown>;
  readonly theirs: Version;
}

/** Changes a record in the version that was read. If another change came first, the person chooses between the two. */
export function RecordEditor({
  collection,
  version,
}: {
  readonly collection: Collection;
  readonly version: Version;
}) {
  const { api, announce } = useApp();
  const [{ record, etag }, setVersion] = useState(version);
  const fields = editableFields(collection);
  const home = homeOf(collection, record);
  const { kept, isOld, change, drop, startFrom } = useDraft(`${collection.name}.${record.id}`, () => ({
    draft: draftOf(fields, record),
    version: etag,
  }));
  const elsewhere = useElsewhere(collection, record, kept.version);
  const { problem, attempt, forget } = useAttempt();
  const [clash, setClash] = useState<Clash | null>(null);

  const save = (values: Record<string, unknown>, ifMatch: string) =>
    attempt(async () => {
      try {
        await api.collection(collection.name).replace(record.id, values, { ifMatch });
        drop();
        announce(t.saved(singularOf(collection)));
        goTo(...home);
      } catch (error) {
        const { record: current, etag } = error as Problem<string, RecordItem>;
        // Only a 412 has the current record.
        if (!current) throw error;
        setClash({ mine: values, theirs: { record: current, etag: etag ?? '*' } });
      }
    });

  const loadNow = (now: Version) => {
    setVersion(now);
    forget();
    startFrom({ draft: draftOf(fields, now.record), version: now.etag });
    announce(t.record.otherLoaded);
    document.querySelector<HTMLElement>('main h1')?.focus();
  };

  if (clash !== null) {
    const { mine, theirs } = clash;
    return (
      <Conflict
        collection={collection}
        fields={fields}
        mine={mine}
        theirs={theirs.record}
        problem={problem}
        onSave={(values) => save(values, theirs.etag)}
        onEdit={(values) => {
          setClash(null);
          setVersion(theirs);
          forget();
          change({ draft: draftOf(fields, values), version: theirs.etag });
        }}
        onGiveUp={() => {
          drop();
          goTo(...home);
        }}
      />
    );
  }
  // Fields without an input keep their values.
  const unknown = Object.entries(fieldsOf(collection, record)).filter(
    ([name]) => !fields.some((field) => field.name === name),
  );
  return (
    <>
      {elsewhere !== null && <ChangedElsewhere collection={collection} now={elsewhere} onLoad={loadNow} />}
      <RecordForm
        fields={fields}
        draft={kept.draft}
        isOldDraft={isOld}
        problem={problem}
        collection={collection}
        label={t.saveOne(singularOf(collection))}
        onChange={(draft) => change({ ...kept, draft })}
        onDiscard={drop}
        onSave={(values) => save({ ...Object.fromEntries(unknown), ...values }, kept.version)}
        cancel={
          <a class="button" href={linkTo(...home)} onClick={drop}>
            {t.cancel}
          </a>
        }
      />
    </>
  );
}
