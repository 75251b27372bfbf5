import type { Member } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { personNames } from '../people/person.ts';
import { Who } from '../people/who.tsx';
import { roleName } from './roles.ts';

const most = 8;

/** The first members of a record, and the way to all of them. */
export function MembersCard({
  collection,
  record,
}: {
  readonly collection: Collection;
  readonly record: RecordItem;
}) {
  const { quietApi } = useApp();
  const load = async () => {
    const members: Member[] = [];
    for await (const member of quietApi.collection(collection.name).members(record.id))
      if (members.push(member) >= most) break;
    return members;
  };
  const { value } = useLoad(load, `${record.id} ${record.updated_at}`);
  const names = personNames((value ?? []).map(({ alias }) => alias));
  return (
    <section class="card" aria-labelledby="members-of">
      <header>
        <h2 id="members-of">{t.people.members}</h2>
        <span class="gap" />
        <a href={linkTo('data', collection.name, record.id, 'members')}>{t.people.all}</a>
      </header>
      <ul class="people">
        {value?.map(({ alias, role, is_me }) => (
          <li key={`${alias} ${role}`}>
            <Who alias={alias} name={names.get(alias)} isMe={is_me} />
            <span class="soft">{roleName(role)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
