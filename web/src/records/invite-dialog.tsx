import { useState } from 'preact/hooks';
import type { NewInvitation } from '../api/client.ts';
import type { Collection, RecordItem, Schema } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';
import { draftOf } from '../schema/draft.ts';
import { fieldsOfSchema } from '../schema/shape.ts';
import { InvitationLink } from './invitation-link.tsx';
import { RecordForm } from './record-form.tsx';
import { grantsOf, invitableRoles, roleName } from './roles.ts';

/** How long an invitation can be open, as the service writes it. */
const periods = (): ReadonlyMap<string, string> =>
  new Map([
    [t.invite.hour, '1h'],
    [t.invite.day, '1d'],
    [t.invite.days(7), '7d'],
    [t.invite.days(30), '30d'],
  ]);

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
  const roles = new Map(invitableRoles(collection, record).map((role) => [roleName(role), role]));
  const fields = fieldsOfSchema(invitationSchema(collection, [...roles.keys()]));
  const [draft, setDraft] = useState(() =>
    draftOf(fields, { role: leastOf(collection, roles), uses: 1, expires_in: t.invite.days(7) }),
  );
  const [made, setMade] = useState<NewInvitation | null>(null);

  const invite = ({ role, uses, expires_in }: Record<string, unknown>) =>
    attempt(async () => {
      const invitation = {
        role: roles.get(String(role)) ?? '',
        uses: uses as number | undefined,
        expires_in: periods().get(String(expires_in)),
      };
      setMade(await api.collection(collection.name).invite(record.id, invitation));
      onInvited?.();
    });

  return (
    <Dialog title={t.invite.title} onClose={onClose}>
      <p class="quoted">{name}</p>
      {made === null ? (
        <RecordForm
          isFramed
          fields={fields}
          draft={draft}
          problem={problem}
          context="invitations"
          collection={collection}
          label={t.invite.make}
          busyLabel={t.moment}
          onChange={setDraft}
          onSave={invite}
          cancel={
            <button type="button" onClick={onClose}>
              {t.cancel}
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
  const handover = former === undefined ? t.invite.handover : t.invite.handoverAs(roleName(former));
  return {
    required: ['role', 'uses', 'expires_in'],
    properties: {
      role: {
        title: t.invite.role,
        enum: labels,
        ...(labels.includes(t.roles.owner) ? { description: handover } : {}),
      },
      uses: { title: t.invite.uses, type: 'integer', minimum: 1, maximum: 100 },
      expires_in: { title: t.invite.openFor, enum: [...periods().keys()] },
    },
  };
}

/** The role that may do the least is chosen at first. */
function leastOf(collection: Collection, roles: ReadonlyMap<string, string>): string | undefined {
  const mayDo = ([, role]: readonly [string, string]) =>
    role === 'owner' ? Number.POSITIVE_INFINITY : grantsOf(collection, role).length;
  return [...roles].toSorted((one, other) => mayDo(one) - mayDo(other))[0]?.[0];
}
