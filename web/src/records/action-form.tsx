import { useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { draftOf } from '../schema/draft.ts';
import { inWords } from '../schema/shape.ts';
import { inputFields } from './form-fields.ts';
import { RecordForm } from './record-form.tsx';
import type { WeighedAction } from './weigh-actions.ts';

interface ActionFormProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly action: WeighedAction;
  /** Of the record. */
  readonly name: string;
  onClose(): void;
  onTake(input: Record<string, unknown>): Promise<void>;
}

/** Asks for the input of an action. The focus is on the first field. */
export function ActionForm({ collection, record, action, name, onClose, onTake }: ActionFormProps) {
  const fields = inputFields(collection, action.sets);
  const [draft, setDraft] = useState(() => draftOf(fields, record));
  const { problem, attempt } = useAttempt();
  const verb = inWords(action.name);
  return (
    <Dialog title={verb} onClose={onClose}>
      <p class="quoted">{name}</p>
      {action.isFinal && (
        <p>
          It is <strong>{inWords(action.to).toLowerCase()}</strong> then, and nothing leads back from there.
        </p>
      )}
      <RecordForm
        isFramed
        fields={fields}
        draft={draft}
        problem={problem}
        label={verb}
        busyLabel="One moment…"
        onChange={setDraft}
        onSave={(input) => attempt(() => onTake(input))}
        cancel={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      />
    </Dialog>
  );
}
