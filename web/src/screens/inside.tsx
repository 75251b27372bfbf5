import type { Collection, Overview } from '../api/types.ts';
import { Arch } from '../parts/arch.tsx';
import { useHouse } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Portrait, usePerson } from '../parts/person.tsx';
import { Screen } from '../parts/screen.tsx';
import { type Loaded, useLoad } from '../parts/use-load.ts';
import { linkTo, useRoute } from '../parts/use-route.ts';
import { CollectionScreen } from './collection.tsx';
import { Data } from './data.tsx';
import { EditRecord } from './edit-record.tsx';
import { Everybodys } from './everybodys.tsx';
import { InvitationScreen } from './invitation.tsx';
import { MembersScreen } from './members.tsx';
import { NewRecord } from './new-record.tsx';
import { TokenScreen } from './token.tsx';
import { You } from './you.tsx';

const places = [
  { path: 'you', label: 'You' },
  { path: 'data', label: 'Your data' },
  { path: 'token', label: 'Token' },
];

/** The house, for whoever is signed in. */
export function Inside() {
  const { api } = useHouse();
  const route = useRoute();
  const overview = useLoad<Overview>(() => api.overview() as Promise<never>, 'overview');
  const skip = () => document.querySelector<HTMLElement>('main h1')?.focus();
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Header here={route[0] ?? 'you'} />
      <main id="main" class="inside">
        <Room key={route.join('/')} route={route} overview={overview} />
      </main>
      <footer class="foot">
        <p>
          Tokens live in this page only. <a href="/docs">API reference</a>
        </p>
      </footer>
    </>
  );
}

function Header({ here }: { readonly here: string }) {
  const { session } = useHouse();
  const person = usePerson();
  return (
    <header class="top">
      <a class="top-brand" href={linkTo('you')}>
        <Arch />
        <span>Vestibule</span>
      </a>
      <nav aria-label="Main">
        <ul>
          {places.map(({ path, label }) => (
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

interface RoomProps {
  readonly route: readonly string[];
  readonly overview: Loaded<Overview>;
}

function Room({ route, overview }: RoomProps) {
  const [place = 'you', name, record, part] = route;
  if (place === 'you') return <You />;
  if (place === 'token') return <TokenScreen />;
  if (place === 'invitation') return <InvitationScreen />;
  if (place !== 'data' && place !== 'everybodys') return <Nowhere />;
  if (overview.value === null)
    return <Waiting title={place === 'data' ? 'Your data' : 'Everybody’s'} overview={overview} />;
  const { collections } = overview.value;
  const collection = collections.find((one) => one.name === name);
  if (place === 'everybodys')
    return collection === undefined ? <Nowhere /> : <Everybodys collection={collection} />;
  if (name === undefined) return <Data collections={collections} />;
  return collection === undefined ? (
    <Nowhere />
  ) : (
    <Shelf collection={collection} record={record} part={part} />
  );
}

interface ShelfProps {
  readonly collection: Collection;
  readonly record: string | undefined;
  readonly part: string | undefined;
}

function Shelf({ collection, record, part }: ShelfProps) {
  if (record === undefined) return <CollectionScreen collection={collection} />;
  if (record === 'new') return <NewRecord collection={collection} />;
  if (part === 'members') return <MembersScreen collection={collection} id={record} />;
  return <EditRecord collection={collection} id={record} />;
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
        <Loading what="what can be kept here" />
      )}
    </Screen>
  );
}

function Nowhere() {
  return (
    <Screen title="There is no such room">
      <p>
        <a href={linkTo('you')}>Back to the entrance</a>
      </p>
    </Screen>
  );
}
