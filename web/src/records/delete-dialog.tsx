import { useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useHouse } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { versionOf } from './version.ts';

interface DeleteDialogProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly name: string;
  onClose(): void;
  onGone(id: string): void;
}

/** The focus is on the harmless button first. */
export function DeleteDialog({ collection, record, name, onClose, onGone }: DeleteDialogProps) {
  const { api, announce } = useHouse();
  const [problem, setProblem] = useState<Problem | null>(null);

  const remove = async () => {
    const version = await versionOf(api, collection, record);
    const outcome = version.ok
      ? await api.remove(`/${collection.name}/${record.id}`, { headers: version.body })
      : version;
    // Gone is gone, whoever did it.
    if (!outcome.ok && outcome.problem.code !== 'not_found') return setProblem(outcome.problem);
    onClose();
    onGone(record.id);
    announce('Deleted.');
  };

  return (
    <Dialog title="Delete this?" onClose={onClose}>
      <p class="quoted">{name}</p>
      <p>It cannot be brought back.</p>
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
