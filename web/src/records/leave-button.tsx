import { useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';

interface LeaveButtonProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly name: string;
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

/** Ends the caller's role by invitation, after a confirmation. */
export function LeaveButton({ collection, record, name, onChanged, onGone }: LeaveButtonProps) {
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();
  const [isAsking, setAsking] = useState(false);

  const leave = () =>
    attempt(async () => {
      const records = api.collection(collection.name);
      await records.leave(record.id);
      const now = await records.get(record.id).catch(() => null);
      setAsking(false);
      // The record may be readable without this role.
      if (now === null) onGone(record.id);
      else onChanged(now);
      announce('You have left it.');
    });

  return (
    <>
      <button type="button" class="small quiet" onClick={() => setAsking(true)}>
        <span>
          Leave<span aria-hidden="true">…</span>
        </span>
        <span class="hidden"> {name}</span>
      </button>
      {isAsking && (
        <Dialog title="Leave this?" onClose={() => setAsking(false)}>
          <p class="quoted">{name}</p>
          <p>Your role in it ends at once. To come back you need a new invitation.</p>
          {problem !== null && <ProblemNotice problem={problem} context="shared" />}
          <div class="buttons">
            <button type="button" onClick={() => setAsking(false)}>
              Stay
            </button>
            <BusyButton class="danger" busyLabel="One moment…" onPress={leave}>
              Leave
            </BusyButton>
          </div>
        </Dialog>
      )}
    </>
  );
}
