import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { personNames } from '../people/person.ts';
import { Who } from '../people/who.tsx';
import { displayMoment } from '../schema/display.ts';
import { ChangeRoleDialog, RemoveDialog } from './member-dialogs.tsx';
import { invitableRoles, roleName } from './roles.ts';

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
  const names = personNames(members.map(({ alias }) => alias));
  const before = useRef(members.length);
  // The button that removed a member is gone with the member.
  useLayoutEffect(() => {
    if (members.length < before.current && document.activeElement === document.body)
      document.getElementById('members')?.focus();
    before.current = members.length;
  }, [members.length]);
  const close = () => setAsked(null);
  const dialog = { collection, record, onClose: close, onChanged };
  return (
    <>
      <ul class="people" aria-label={t.people.members}>
        {members.map((member) => {
          const { alias, role, since, is_me } = member;
          const mayRemove = !is_me && invitable.includes(role);
          return (
            <li key={`${alias} ${role}`}>
              <div>
                <Who alias={alias} name={names.get(alias)} isMe={is_me} size={28} />
                <p class="soft">
                  <time dateTime={since}>{t.people.since(roleName(role), displayMoment(since))}</time>
                </p>
              </div>
              {mayRemove && (
                <div class="buttons">
                  {invitable.length > 1 && (
                    <button type="button" class="small" onClick={() => setAsked({ member, what: 'change' })}>
                      {t.people.changeRole}
                      <span class="hidden"> {t.people.changeRoleOf(names.get(alias) ?? alias)}</span>
                    </button>
                  )}
                  <button type="button" class="small" onClick={() => setAsked({ member, what: 'remove' })}>
                    {t.people.removeOne}
                    <span class="hidden"> {names.get(alias)}</span>
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
