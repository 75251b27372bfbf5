import { useRef } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { Filters } from '../lists/filters.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { planOf } from '../lists/plan.ts';
import { useView, ViewTabs } from '../lists/view-tabs.tsx';
import { useApp } from '../parts/context.ts';
import { Icon } from '../parts/icons.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { displayNumber } from '../schema/display.ts';
import { singularOf } from './collection-words.ts';
import { mayCreateUnder, whyClosed } from './family.ts';
import { SearchBox } from './search-box.tsx';
import { useList } from './use-list.ts';

interface ChildrenProps {
  readonly collection: Collection;
  /** The parent record. */
  readonly above: RecordItem;
  readonly events: Events;
  /** Called when the counts of the parent may have changed. */
  onCounted(): void;
}

/** A list with fewer records has no filters. */
const fewest = 6;

/** The records of one collection under a parent, with a link to create one. */
export function Children({ collection, above, events, onCounted }: ChildrenProps) {
  const { name, title, description } = collection;
  const view = useList(collection, { parentId: above.id, events, onChanged: onCounted });
  const { views } = planOf(collection);
  const [shown, setShown] = useView(collection, views);
  const mayCreate = useMayCreateUnder(collection, above);
  const closed = whyClosed(collection, above);
  const { count, isFiltered, choice, setChoice } = view;
  // They stay while the list gets shorter: one of them may have the focus.
  const wasLong = useRef(false);
  wasLong.current ||= isFiltered || (count !== null && (count.isLeast || count.count >= fewest));
  return (
    <section class="card children" aria-labelledby={`under-${name}`}>
      <header>
        <h2 id={`under-${name}`}>{title}</h2>
        {count !== null && (
          <span class="soft">{t.list.count(displayNumber(count.count), count.isLeast)}</span>
        )}
        <span class="gap" />
        {views.length > 1 && <ViewTabs views={views} shown={shown} onShow={setShown} />}
        {mayCreate && closed === null && (
          <a class="button primary small" href={linkTo('data', name, 'new', above.id)}>
            <Icon name="plus" size={16} />
            <span class="wide">{t.newOne(singularOf(collection))}</span>
          </a>
        )}
      </header>
      {wasLong.current && collection.search !== undefined && (
        <SearchBox
          collection={collection}
          q={choice.q}
          input={view.searchInput}
          onSearch={(q) => setChoice({ ...choice, q })}
        />
      )}
      {wasLong.current && <Filters view={view} />}
      <ListBody
        view={view}
        shown={shown}
        empty={
          <>
            <p class="empty-title">{t.list.empty(title)}</p>
            {(closed ?? description) && <p class="soft">{closed ?? description}</p>}
          </>
        }
      />
    </section>
  );
}

/** The caller's roles in the parent decide, or the scopes of the token. */
function useMayCreateUnder(collection: Collection, above: RecordItem): boolean {
  const { quietApi } = useApp();
  const { name, roles = {} } = collection;
  const needsScopes = Object.values(roles).some(({ scope }) => scope !== undefined);
  const scopes = useLoad(async () => (needsScopes ? (await quietApi.me()).scopes : []), name);
  return mayCreateUnder(collection, above, scopes.value ?? []);
}
