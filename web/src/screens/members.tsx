import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api, Invitation, Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { kindOf, sentenceOf } from '../events/sentence.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Icon } from '../parts/icons.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { useCards } from '../people/use-cards.ts';
import { InviteDialog } from '../records/invite-dialog.tsx';
import { MemberList } from '../records/member-list.tsx';
import { nameOf } from '../records/record-name.ts';
import { invitableRoles, lossOf, roleName, seesMembers } from '../records/roles.ts';
import { lossTitle } from '../records/use-elsewhere.ts';
import { displayMoment } from '../schema/display.ts';

const pageSize = 100;

interface Shared {
  readonly record: RecordItem;
  readonly members: readonly Member[];
  readonly hasMore: boolean;
  readonly invitations: readonly Invitation[];
}

interface MembersScreenProps {
  readonly collection: Collection;
  readonly id: string;
}

/** A shared record with its members and open invitations, updated live. */
export function MembersScreen({ collection, id }: MembersScreenProps) {
  const { api, quietApi, writes, announce } = useApp();
  const { name, title } = collection;
  const [limit, setLimit] = useState(pageSize);
  const isLoaded = useRef(false);
  const load = () => read(isLoaded.current ? quietApi : api, collection, id, limit);
  const { value, problem, isLoading, reload } = useLoad(load, `${id} ${limit}`);
  isLoaded.current ||= value !== null;
  const lastKind = useRef('');

  useEffect(() => {
    const follow = (kind: string) => {
      lastKind.current = kind;
      // The event may be about a write of this page.
      void writes.settled().then(reload);
    };
    return quietApi.events.listen({
      collection: name,
      after: null,
      hear: (event) => event.data.id === id && follow(kindOf(event.type)),
      missed: () => isLoaded.current && follow(''),
    });
  }, [quietApi, name, id]);

  useCards([[collection, value?.record]]);
  const isLost = value !== null && problem?.code === 'not_found';
  const loss = isLost ? lossOf(collection, value.record, lastKind.current) : null;
  useEffect(() => {
    if (value === null || loss === null) return;
    const happening = { type: `${name}.${loss}`, data: { state: null } };
    announce(sentenceOf(collection, happening, nameOf(collection, value.record)));
  }, [loss]);

  const recordName = value === null ? title : nameOf(collection, value.record);
  const [isInviting, setInviting] = useState(false);
  return (
    <Screen
      title={t.people.membersOf(recordName)}
      back={{ href: linkTo('data', name, id, 'open'), label: recordName }}
      actions={
        <>
          {collection.events !== 'none' && value !== null && (
            <Connection events={quietApi.events} isRead={problem === null} />
          )}
          {value !== null && invitableRoles(collection, value.record).length > 0 && (
            <button type="button" class="primary" onClick={() => setInviting(true)}>
              <Icon name="share" size={16} />
              {t.people.invite}
            </button>
          )}
        </>
      }
    >
      {value === null && isLoading && <Loading what={t.people.members} />}
      {problem !== null && loss === null && !isLoading && (
        <ProblemNotice problem={problem} context="shared" collection={collection} onRetry={reload} />
      )}
      {loss !== null && (
        <Notice tone="plain" title={lossTitle(collection, loss)}>
          {loss === 'left' && <p>{t.record.leftIt}</p>}
        </Notice>
      )}
      {value !== null && loss === null && (
        <div class="page">
          {isInviting && (
            <InviteDialog
              collection={collection}
              record={value.record}
              name={recordName}
              onClose={() => setInviting(false)}
              onInvited={reload}
            />
          )}
          {value.members.length > 0 && (
            <section class="card" aria-labelledby="members">
              <h2 id="members" tabIndex={-1}>
                {t.people.members}
              </h2>
              <p class="soft">{t.people.aliases}</p>
              <MemberList
                collection={collection}
                record={value.record}
                members={value.members}
                onChanged={reload}
              />
              {value.hasMore && (
                <button type="button" class="small" onClick={() => setLimit(limit + pageSize)}>
                  {t.list.showMore}
                </button>
              )}
            </section>
          )}
          {invitableRoles(collection, value.record).length > 0 && (
            <Invitations
              collection={collection}
              record={value.record}
              invitations={value.invitations}
              onEnded={reload}
            />
          )}
        </div>
      )}
    </Screen>
  );
}

async function read(from: Api, collection: Collection, id: string, limit: number): Promise<Shared> {
  const calls = from.collection(collection.name);
  const record = await calls.get(id);
  const members: Member[] = [];
  if (seesMembers(collection, record)) {
    for await (const member of calls.members(id)) if (members.push(member) > limit) break;
  }
  const mayInvite = invitableRoles(collection, record).length > 0;
  const invitations = mayInvite ? await calls.invitations(id) : [];
  return { record, members: members.slice(0, limit), hasMore: members.length > limit, invitations };
}

interface InvitationsProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly invitations: readonly Invitation[];
  onEnded(): void;
}

function Invitations({ collection, record, invitations, onEnded }: InvitationsProps) {
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();
  const invitable = invitableRoles(collection, record);
  const end = ({ id }: Invitation) =>
    attempt(async () => {
      await api.collection(collection.name).endInvitation(record.id, id);
      onEnded();
      announce(t.invite.ended);
      document.getElementById('invitations')?.focus();
    });
  return (
    <section class="card" aria-labelledby="invitations">
      <h2 id="invitations" tabIndex={-1}>
        {t.invite.open}
      </h2>
      {problem !== null && <ProblemNotice problem={problem} />}
      {invitations.length === 0 ? (
        <p class="soft">{t.invite.none}</p>
      ) : (
        <ul class="people" aria-label={t.invite.open}>
          {invitations.map((invitation) => {
            const { id, role, uses_left, expires_at } = invitation;
            const about = t.invite.about(roleName(role), displayMoment(expires_at));
            return (
              <li key={id}>
                <div>
                  <p>{roleName(role)}</p>
                  <p class="soft">
                    <time dateTime={expires_at}>{t.invite.left(uses_left, displayMoment(expires_at))}</time>
                  </p>
                </div>
                {invitable.includes(role) && (
                  <BusyButton
                    class="small"
                    busyLabel={t.invite.ending}
                    about={about}
                    onPress={() => end(invitation)}
                  >
                    {t.invite.end}
                  </BusyButton>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
