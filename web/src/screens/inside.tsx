import type { Collection, Overview } from '../api/types.ts';
import { Arch } from '../parts/arch.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Portrait, usePerson } from '../parts/person.tsx';
import { Screen } from '../parts/screen.tsx';
import { type Loaded, useLoad } from '../parts/use-load.ts';
import { linkTo, useRoute } from '../parts/use-route.ts';
import { hasOwnList, withChildren } from '../records/family.ts';
import { CollectionScreen } from './collection.tsx';
import { Data } from './data.tsx';
import { EditRecord } from './edit-record.tsx';
import { Everybodys } from './everybodys.tsx';
import { InvitationScreen } from './invitation.tsx';
import { MembersScreen } from './members.tsx';
import { NewRecord } from './new-record.tsx';
import { OpenRecord } from './open-record.tsx';
import { TokenScreen } from './token.tsx';
import { You } from './you.tsx';

const pages = [
  { path: 'you', label: 'You' },
  { path: 'data', label: 'Your data' },
  { path: 'token', label: 'Token' },
];

/** The page for a person who is signed in. */
export function Inside() {
  const { api } = useApp();
  const route = useRoute();
  const overview = useLoad<Overview>(async () => {
    const found = (await api.overview()) as unknown as Overview;
    return { ...found, collections: withChildren(found.collections) };
  }, 'overview');
  const skip = () => document.querySelector<HTMLElement>('main h1')?.focus();
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Header here={route[0] ?? 'you'} />
      <main id="main" class="inside">
        <Page key={route.join('/')} route={route} overview={overview} />
      </main>
      <footer class="foot">
        <p>
          Access tokens are kept only in the memory of this page. <a href="/docs">API reference</a>
        </p>
      </footer>
    </>
  );
}

function Header({ here }: { readonly here: string }) {
  const { session } = useApp();
  const person = usePerson();
  return (
    <header class="top">
      <a class="top-brand" href={linkTo('you')}>
        <Arch />
        <span>Vestibule</span>
      </a>
      <nav aria-label="Main">
        <ul>
          {pages.map(({ path, label }) => (
            <li key={path}>
              <a href={linkTo(path)} aria-current={here === path ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="top-person">
        <Portrait person={person.value} size={32} />
        <span class="top-name">{person.value?.name}</span>
        <button type="button" class="small" onClick={() => void session.signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}

interface PageProps {
  readonly route: readonly string[];
  readonly overview: Loaded<Overview>;
}

function Page({ route, overview }: PageProps) {
  const [page = 'you', name, record, part] = route;
  if (page === 'you') return <You />;
  if (page === 'token') return <TokenScreen />;
  if (page === 'invitation') return <InvitationScreen />;
  if (page !== 'data' && page !== 'everybodys') return <NotFound />;
  if (overview.value === null)
    return <Waiting title={page === 'data' ? 'Your data' : 'Everybody’s'} overview={overview} />;
  const { collections } = overview.value;
  const collection = collections.find((one) => one.name === name);
  if (page === 'everybodys')
    return collection === undefined || collection.parent ? (
      <NotFound />
    ) : (
      <Everybodys collection={collection} />
    );
  if (name === undefined) return <Data collections={collections} />;
  return collection === undefined ? (
    <NotFound />
  ) : (
    <CollectionPage
      collection={collection}
      above={collections.find((one) => one.name === collection.parent?.collection)}
      record={record}
      part={part}
    />
  );
}

interface CollectionPageProps {
  readonly collection: Collection;
  /** The collection of the parent. */
  readonly above: Collection | undefined;
  readonly record: string | undefined;
  readonly part: string | undefined;
}

function CollectionPage({ collection, above, record, part }: CollectionPageProps) {
  const isOnlyUnder = above !== undefined && !hasOwnList(collection);
  if (record === undefined && isOnlyUnder) return <ThroughParent collection={collection} above={above} />;
  if (record === undefined) return <CollectionScreen collection={collection} />;
  if (record === 'new' && above !== undefined && part === undefined)
    return <ThroughParent collection={collection} above={above} />;
  if (record === 'new') return <NewRecord collection={collection} parentId={part} />;
  if (part === 'open') return <OpenRecord collection={collection} above={above} id={record} />;
  if (part === 'members') return <MembersScreen collection={collection} id={record} />;
  return <EditRecord collection={collection} id={record} />;
}

interface ThroughParentProps {
  readonly collection: Collection;
  readonly above: Collection;
}

/** Shown instead of a list that the service has only under a parent. */
function ThroughParent({ collection: { title, description }, above }: ThroughParentProps) {
  return (
    <Screen title={title} lead={description}>
      <p>
        These records belong to others. Open one of <a href={linkTo('data', above.name)}>{above.title}</a> to
        see the records in it and to add some.
      </p>
    </Screen>
  );
}

interface WaitingProps {
  readonly title: string;
  readonly overview: Loaded<Overview>;
}

function Waiting({ title, overview }: WaitingProps) {
  return (
    <Screen title={title}>
      {overview.problem && !overview.isLoading ? (
        <ProblemNotice problem={overview.problem} onRetry={overview.reload} />
      ) : (
        <Loading what="the collections" />
      )}
    </Screen>
  );
}

function NotFound() {
  return (
    <Screen title="This page does not exist">
      <p>
        <a href={linkTo('you')}>Go to the page “You”</a>
      </p>
    </Screen>
  );
}
