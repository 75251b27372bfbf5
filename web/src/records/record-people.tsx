import { useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { linkTo } from '../parts/use-route.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { invitableRoles, seesMembers } from './roles.ts';

interface RecordPeopleProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly name: string;
  /** Called after an invitation was made; given only on the screen of the members. Other screens link to it. */
  readonly onInvited?: (() => void) | undefined;
}

/** The buttons for invitations and members. */
export function RecordPeople({ collection, record, name, onInvited }: RecordPeopleProps) {
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      {invitableRoles(collection, record).length > 0 && (
        <button type="button" class="small" onClick={() => setInviting(true)}>
          <span>
            Invite<span aria-hidden="true">…</span>
          </span>
          <span class="hidden"> to {name}</span>
        </button>
      )}
      {onInvited === undefined && seesMembers(collection, record) && (
        <a class="button small" href={linkTo('data', collection.name, record.id, 'members')}>
          Members<span class="hidden"> of {name}</span>
        </a>
      )}
      {isInviting && (
        <InviteDialog
          collection={collection}
          record={record}
          name={name}
          onClose={() => setInviting(false)}
          onInvited={onInvited}
        />
      )}
    </>
  );
}
