import type { Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { inWords } from '../schema/shape.ts';
import { ifMatchFor } from './if-match.ts';
import type { WeighedAction } from './weigh-actions.ts';

interface DeleteDialogProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly name: string;
  /** Final actions that the caller may take instead. They keep the record. */
  readonly alternatives: readonly WeighedAction[];
  onClose(): void;
  onGone(id: string): void;
}

/** Asks before a record is deleted. The harmless button has the focus first. */
export function DeleteDialog({ collection, record, name, alternatives, onClose, onGone }: DeleteDialogProps) {
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();

  const remove = () =>
    attempt(async () => {
      try {
        const version = await ifMatchFor(api, collection, record);
        await api.collection(collection.name).remove(record.id, version);
      } catch (error) {
        // Another window may have deleted it.
        if ((error as Problem).code !== 'not_found') throw error;
      }
      onClose();
      onGone(record.id);
      announce('Deleted.');
    });

  return (
    <Dialog title="Delete this?" onClose={onClose}>
      <p class="quoted">{name}</p>
      <p>It is deleted for good and cannot be restored.</p>
      {alternatives.map((action) => (
        <p key={action.name}>
          “{inWords(action.name)}” would keep it in your list, as{' '}
          <strong>{inWords(action.to).toLowerCase()}</strong>.
        </p>
      ))}
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        <BusyButton class="danger" busyLabel="Deleting…" onPress={remove}>
          Delete
        </BusyButton>
      </div>
    </Dialog>
  );
}
