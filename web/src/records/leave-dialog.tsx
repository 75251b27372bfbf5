import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';
import { readsWithoutInvitation } from './roles.ts';

interface LeaveDialogProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly name: string;
  onClose(): void;
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

/** Asks before the caller's role by invitation ends. */
export function LeaveDialog({ collection, record, name, onClose, onChanged, onGone }: LeaveDialogProps) {
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();

  const leave = () =>
    attempt(async () => {
      const records = api.collection(collection.name);
      await records.leave(record.id);
      const now = readsWithoutInvitation(collection, record)
        ? await records.get(record.id).catch(() => null)
        : null;
      onClose();
      if (now === null) onGone(record.id);
      else onChanged(now);
      announce(t.row.left(name));
    });

  return (
    <Dialog title={t.people.leaveOne(name)} onClose={onClose}>
      <p>{t.people.leaving}</p>
      {problem !== null && <ProblemNotice problem={problem} context="shared" collection={collection} />}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.people.stay}
        </button>
        <BusyButton class="danger" busyLabel={t.moment} onPress={leave}>
          {t.people.leave}
        </BusyButton>
      </div>
    </Dialog>
  );
}
