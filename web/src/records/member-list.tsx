import { useState } from 'preact/hooks';
import type { Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';
import { ChangeRoleDialog, RemoveDialog } from './member-dialogs.tsx';
import { invitableRoles } from './roles.ts';

interface MemberListProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly members: readonly Member[];
  /** A member was changed or removed here. */
  onChanged(): void;
}

interface Asked {
  readonly member: Member;
  readonly what: 'change' | 'remove';
}

/** The members by alias, with buttons for what the caller may change. */
export function MemberList({ collection, record, members, onChanged }: MemberListProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const invitable = invitableRoles(collection, record).filter((role) => role !== 'owner');
  const close = () => setAsked(null);
  const dialog = { collection, record, onClose: close, onChanged };
  return (
    <>
      <ul class="people" aria-label="Members">
        {members.map((member) => {
          const { alias, role, since, is_me } = member;
          const mayRemove = !is_me && invitable.includes(role);
          return (
            <li key={`${alias} ${role}`}>
              <div>
                <p>
                  <code>{alias}</code>
                  {is_me && <strong> you</strong>}
                </p>
                <p class="soft">
                  {inWords(role)} since <time dateTime={since}>{displayMoment(since)}</time>
                </p>
              </div>
              {mayRemove && (
                <div class="buttons">
                  {invitable.length > 1 && (
                    <button type="button" class="small" onClick={() => setAsked({ member, what: 'change' })}>
                      <span>
                        Change role<span aria-hidden="true">…</span>
                      </span>
                      <span class="hidden"> of {alias}</span>
                    </button>
                  )}
                  <button type="button" class="small" onClick={() => setAsked({ member, what: 'remove' })}>
                    <span>
                      Remove<span aria-hidden="true">…</span>
                    </span>
                    <span class="hidden"> {alias}</span>
                  </button>
                </div>
              )}
            </li>
          );
        })}
      </ul>
      {asked?.what === 'change' && (
        <ChangeRoleDialog
          {...dialog}
          member={asked.member}
          roles={invitable.filter((role) => role !== asked.member.role)}
        />
      )}
      {asked?.what === 'remove' && <RemoveDialog {...dialog} member={asked.member} />}
    </>
  );
}
