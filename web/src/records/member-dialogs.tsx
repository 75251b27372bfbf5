import { useState } from 'preact/hooks';
import type { Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { draftOf } from '../schema/draft.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';
import { RecordForm } from './record-form.tsx';

interface MemberDialogProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly member: Member;
  onClose(): void;
  onChanged(): void;
}

export function ChangeRoleDialog(props: MemberDialogProps & { readonly roles: readonly string[] }) {
  const { collection, record, member, roles, onClose, onChanged } = props;
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();
  const byLabel = new Map(roles.map((role) => [inWords(role), role]));
  const labels = [...byLabel.keys()];
  const fields = fieldsOfSchema({ required: ['role'], properties: { role: { enum: labels } } });
  const [draft, setDraft] = useState(() => draftOf(fields, { role: labels[0] }));
  const save = ({ role }: Record<string, unknown>) =>
    attempt(async () => {
      const change = { role: byLabel.get(String(role)) ?? '' };
      await api.collection(collection.name).changeMember(record.id, member.alias, change);
      onClose();
      onChanged();
      announce('The role is changed.');
    });
  return (
    <Dialog title="Change the role?" onClose={onClose}>
      <p class="quoted">
        <code>{member.alias}</code>, {inWords(member.role).toLowerCase()}
      </p>
      <p>This also ends all open invitations of the record.</p>
      <RecordForm
        isFramed
        fields={fields}
        draft={draft}
        problem={problem}
        label="Change it"
        busyLabel="One moment…"
        onChange={setDraft}
        onSave={save}
        cancel={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      />
    </Dialog>
  );
}

export function RemoveDialog({ collection, record, member, onClose, onChanged }: MemberDialogProps) {
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();
  const remove = () =>
    attempt(async () => {
      await api.collection(collection.name).removeMember(record.id, member.alias);
      onClose();
      onChanged();
      announce('Removed.');
    });
  return (
    <Dialog title="Remove this member?" onClose={onClose}>
      <p class="quoted">
        <code>{member.alias}</code>, {inWords(member.role).toLowerCase()}
      </p>
      <p>The role ends at once. All open invitations of the record end, too.</p>
      {problem !== null && <ProblemNotice problem={problem} context="shared" />}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <BusyButton class="danger" busyLabel="One moment…" onPress={remove}>
          Remove
        </BusyButton>
      </div>
    </Dialog>
  );
}
