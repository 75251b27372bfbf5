import { useState } from 'preact/hooks';
import type { NewInvitation } from '../api/client.ts';
import type { Collection, RecordItem, Schema } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { draftOf } from '../schema/draft.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';
import { InvitationLink } from './invitation-link.tsx';
import { RecordForm } from './record-form.tsx';
import { invitableRoles, withArticle } from './roles.ts';

const periods: Readonly<Record<string, string>> = {
  '1 hour': '1h',
  '1 day': '1d',
  '7 days': '7d',
  '30 days': '30d',
};

interface InviteDialogProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  /** The name of the record. */
  readonly name: string;
  onClose(): void;
  readonly onInvited?: (() => void) | undefined;
}

/** Asks for the role, the number of people and the period, then shows the link once. */
export function InviteDialog({ collection, record, name, onClose, onInvited }: InviteDialogProps) {
  const { api } = useApp();
  const { problem, attempt } = useAttempt();
  const roles = new Map(invitableRoles(collection, record).map((role) => [inWords(role), role]));
  const fields = fieldsOfSchema(invitationSchema(collection, [...roles.keys()]));
  const [draft, setDraft] = useState(() =>
    draftOf(fields, { role: [...roles.keys()][0], uses: 1, expires_in: '7 days' }),
  );
  const [made, setMade] = useState<NewInvitation | null>(null);

  const invite = ({ role, uses, expires_in }: Record<string, unknown>) =>
    attempt(async () => {
      const invitation = {
        role: roles.get(String(role)) ?? '',
        uses: uses as number | undefined,
        expires_in: periods[String(expires_in)],
      };
      setMade(await api.collection(collection.name).invite(record.id, invitation));
      onInvited?.();
    });

  return (
    <Dialog title="Invite" onClose={onClose}>
      <p class="quoted">{name}</p>
      {made === null ? (
        <RecordForm
          isFramed
          fields={fields}
          draft={draft}
          problem={problem}
          context="invitations"
          label="Make a link"
          busyLabel="One moment…"
          onChange={setDraft}
          onSave={invite}
          cancel={
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          }
        />
      ) : (
        <InvitationLink invitation={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

function invitationSchema({ roles = {} }: Collection, labels: readonly string[]): Schema {
  const former = roles.owner?.previous_owner;
  const then = former === undefined ? 'have no role any more' : `become ${withArticle(former)}`;
  const handover = `Owner: the record is handed over, and you ${then}.`;
  return {
    required: ['role', 'uses', 'expires_in'],
    properties: {
      role: {
        title: 'Role',
        enum: labels,
        ...(labels.includes(inWords('owner')) ? { description: handover } : {}),
      },
      uses: { title: 'People it admits', type: 'integer', minimum: 1, maximum: 100 },
      expires_in: { title: 'Open for', enum: Object.keys(periods) },
    },
  };
}
