import { useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { shortened } from '../events/sentence.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';
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

  const [below, setBelow] = useState(0);
  /** The records below that the caller can read; 0 if they cannot be counted. */
  const countBelow = async (name: string): Promise<number> => {
    const { parent } = collection.children?.find((child) => child.name === name) ?? {};
    if (parent === undefined) return 0;
    const found = await api
      .collection(name)
      .count({ [parent.field]: record.id })
      .catch(() => null);
    return found?.count ?? 0;
  };

  const remove = () =>
    attempt(async () => {
      try {
        const version = await ifMatchFor(api, collection, record);
        await api.collection(collection.name).remove(record.id, version);
      } catch (error) {
        const { code, document } = error as Problem;
        if (code === 'has_children') setBelow(await countBelow(String(document.collection)));
        // Another window may have deleted it.
        if (code !== 'not_found') throw error;
      }
      onClose();
      onGone(record.id);
      announce(t.row.deleted(shortened(name)));
    });

  return (
    <Dialog title={t.deletion.ask(shortened(name))} onClose={onClose}>
      <p>{t.deletion.final}</p>
      {alternatives.map((action) => (
        <p key={action.name}>{t.deletion.instead(inWords(action.name), inWords(action.to))}</p>
      ))}
      {problem !== null && <ProblemNotice problem={problem} collection={collection} count={below} />}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.deletion.no}
        </button>
        <BusyButton class="danger" busyLabel={t.deletion.deleting} onPress={remove}>
          {t.deletion.yes}
        </BusyButton>
      </div>
    </Dialog>
  );
}
