import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { mayCreateUnder, whyClosed } from './family.ts';
import { ListControls } from './list-controls.tsx';
import { RecordList } from './record-list.tsx';
import { useList } from './use-list.ts';

interface ChildListProps {
  readonly collection: Collection;
  /** The parent record. */
  readonly above: RecordItem;
  readonly events: Events;
  /** Called when the counts of the parent may have changed. */
  onCounted(): void;
}

/** The records of one collection under a parent, with a link to create one. */
export function ChildList({ collection, above, events, onCounted }: ChildListProps) {
  const { name, title, description } = collection;
  const view = useList(collection, { parentId: above.id, events, onChanged: onCounted });
  const mayCreate = useMayCreateUnder(collection, above);
  const closed = whyClosed(collection, above);
  const newLink = (label: ComponentChildren) => (
    <a class="button primary" href={linkTo('data', name, 'new', above.id)}>
      {label}
    </a>
  );
  // The controls stay while the list is loaded again: one of them may have the focus.
  const hasControls = useRef(false);
  hasControls.current ||= (view.records.items?.length ?? 0) > 1;

  return (
    <section class="children" aria-labelledby={`under-${name}`}>
      <div class="screen-head">
        <div>
          <h2 id={`under-${name}`}>{title}</h2>
          {description && <p class="soft">{description}</p>}
          {mayCreate && closed !== null && <p class="soft">{closed}</p>}
        </div>
        {mayCreate &&
          closed === null &&
          newLink(
            <>
              New<span class="hidden"> in {title}</span>
            </>,
          )}
      </div>
      {hasControls.current && <ListControls view={view} />}
      <RecordList
        view={view}
        level={3}
        empty={
          <>
            <p class="empty-title">There are no records yet</p>
            {mayCreate && closed === null ? (
              newLink('Make the first one')
            ) : (
              <p>{closed ?? 'New records of other people appear here by themselves.'}</p>
            )}
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
