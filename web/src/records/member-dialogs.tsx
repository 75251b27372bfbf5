import { useState } from 'preact/hooks';
import type { Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { shortened } from '../events/sentence.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';
import { personName } from '../people/person.ts';
import { Who } from '../people/who.tsx';
import { draftOf } from '../schema/draft.ts';
import { fieldsOfSchema } from '../schema/shape.ts';
import { RecordForm } from './record-form.tsx';
import { nameOf } from './record-name.ts';
import { roleName } from './roles.ts';

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
  const byLabel = new Map(roles.map((role) => [roleName(role), role]));
  const labels = [...byLabel.keys()];
  const fields = fieldsOfSchema({ required: ['role'], properties: { role: { enum: labels } } });
  const [draft, setDraft] = useState(() => draftOf(fields, { role: labels[0] }));
  const save = ({ role }: Record<string, unknown>) =>
    attempt(async () => {
      const change = { role: byLabel.get(String(role)) ?? '' };
      await api.collection(collection.name).changeMember(record.id, member.alias, change);
      onClose();
      onChanged();
      announce(t.people.roleChanged);
    });
  return (
    <Dialog title={t.people.askRole} onClose={onClose}>
      <p class="quoted">
        <Who alias={member.alias} />, {roleName(member.role)}
      </p>
      <p>{t.people.endsInvitations}</p>
      <RecordForm
        isFramed
        fields={fields}
        draft={draft}
        problem={problem}
        collection={collection}
        label={t.people.changeIt}
        busyLabel={t.moment}
        onChange={setDraft}
        onSave={save}
        cancel={
          <button type="button" onClick={onClose}>
            {t.cancel}
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
      announce(t.people.removed(personName(member.alias)));
    });
  return (
    <Dialog
      title={t.people.remove(personName(member.alias), shortened(nameOf(collection, record)))}
      onClose={onClose}
    >
      <p class="quoted">
        <Who alias={member.alias} />, {roleName(member.role)}
      </p>
      <p>{t.people.removing}</p>
      {problem !== null && <ProblemNotice problem={problem} context="shared" collection={collection} />}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.cancel}
        </button>
        <BusyButton class="danger" busyLabel={t.moment} onPress={remove}>
          {t.people.removeIt}
        </BusyButton>
      </div>
    </Dialog>
  );
}
