import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api, Invitation, Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { Connection } from '../events/connection.tsx';
import { kindOf, sentenceOf } from '../events/sentence.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useLoad } from '../parts/use-load.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { MemberList } from '../records/member-list.tsx';
import { RecordCard } from '../records/record-card.tsx';
import { nameOf } from '../records/record-name.ts';
import { invitableRoles, lossOf, seesMembers } from '../records/roles.ts';
import { lossTitles } from '../records/use-elsewhere.ts';
import { counted, displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';

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

  const isLost = value !== null && problem?.code === 'not_found';
  const loss = isLost ? lossOf(collection, value.record, lastKind.current) : null;
  useEffect(() => {
    if (value === null || loss === null) return;
    const happening = { type: `${name}.${loss}`, data: { state: null } };
    announce(sentenceOf(collection, happening, nameOf(collection, value.record)));
  }, [loss]);

  const back = () => goTo('data', name);
  return (
    <Screen title={`Members in ${title}`} lead={collection.description}>
      <p class="back">
        <a href={linkTo('data', name)}>← {title}</a>
      </p>
      {value === null && isLoading && <Loading what="the record" />}
      {problem !== null && loss === null && !isLoading && (
        <ProblemNotice problem={problem} context="shared" onRetry={reload} />
      )}
      {loss !== null && (
        <Notice tone="plain" title={lossTitles[loss]}>
          {loss === 'left' && <p>Your role in it has ended. To come back you need a new invitation.</p>}
        </Notice>
      )}
      {value !== null && loss === null && (
        <>
          {collection.events !== 'none' && <Connection events={quietApi.events} isRead={problem === null} />}
          <ul class="records" aria-label={title}>
            <RecordCard
              collection={collection}
              record={value.record}
              onChanged={reload}
              onGone={back}
              onInvited={reload}
            />
          </ul>
          {value.members.length > 0 && (
            <section class="card" aria-labelledby="members">
              <h2 id="members">Members</h2>
              <p class="soft">People see each other by alias. A person has another alias in every record.</p>
              <MemberList
                collection={collection}
                record={value.record}
                members={value.members}
                onChanged={reload}
              />
              {value.hasMore && (
                <button type="button" class="small" onClick={() => setLimit(limit + pageSize)}>
                  Show more
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
        </>
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
      announce('The invitation has ended.');
      document.getElementById('invitations')?.focus();
    });
  return (
    <section class="card" aria-labelledby="invitations">
      <h2 id="invitations" tabIndex={-1}>
        Open invitations
      </h2>
      {problem !== null && <ProblemNotice problem={problem} />}
      {invitations.length === 0 ? (
        <p class="soft">There is none. Press “Invite” to make a link that you can send.</p>
      ) : (
        <ul class="people" aria-label="Open invitations">
          {invitations.map((invitation) => {
            const { id, role, uses_left, expires_at } = invitation;
            const about = `for ${inWords(role).toLowerCase()}, until ${displayMoment(expires_at)}`;
            return (
              <li key={id}>
                <div>
                  <p>{inWords(role)}</p>
                  <p class="soft">
                    For {counted(uses_left, 'more person', 'more people')}, until{' '}
                    <time dateTime={expires_at}>{displayMoment(expires_at)}</time>
                  </p>
                </div>
                {invitable.includes(role) && (
                  <BusyButton class="small" busyLabel="Ending…" about={about} onPress={() => end(invitation)}>
                    End
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
