import { useEffect } from 'preact/hooks';
import type { Collection, Overview } from '../api/types.ts';
import { BrandLinks } from '../parts/brand.tsx';
import { useApp } from '../parts/context.ts';
import { later } from '../parts/later.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { type Loaded, useLoad } from '../parts/use-load.ts';
import { linkTo, useRoute } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { hasOwnList, withChildren } from '../records/family.ts';
import { lastCollection } from '../session/traces.ts';
import { CollectionScreen } from './collection.tsx';
import { Rail } from './rail.tsx';

const Account = later(() => import('./account.tsx').then((found) => found.Account));
const EditRecord = later(() => import('./edit-record.tsx').then((found) => found.EditRecord));
const InvitationScreen = later(() => import('./invitation.tsx').then((found) => found.InvitationScreen));
const MembersScreen = later(() => import('./members.tsx').then((found) => found.MembersScreen));
const NewRecord = later(() => import('./new-record.tsx').then((found) => found.NewRecord));
const OpenRecord = later(() => import('./open-record.tsx').then((found) => found.OpenRecord));
const TokenScreen = later(() => import('./token.tsx').then((found) => found.TokenScreen));

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
    <div class="app">
      <button type="button" class="skip" onClick={skip}>
        {t.frame.skip}
      </button>
      <Rail collections={overview.value?.collections ?? []} here={route} />
      <main id="main" class="main">
        <Page key={route.join('/')} route={route} overview={overview} />
        <BrandLinks />
      </main>
    </div>
  );
}

interface PageProps {
  readonly route: readonly string[];
  readonly overview: Loaded<Overview>;
}

function Page({ route, overview }: PageProps) {
  const { settings } = useApp();
  const [page = 'data', name, record, part] = route;
  if (page === 'invitation') return <InvitationScreen collections={overview.value?.collections ?? null} />;
  if (page === 'token' && settings.dev) return <TokenScreen />;
  if (page !== 'data' && page !== 'you') return <NotFound />;
  if (overview.value === null) return <Waiting overview={overview} />;
  const { collections } = overview.value;
  if (page === 'you') return <Account collections={collections} />;
  if (name === undefined) return <First collections={collections} />;
  const collection = collections.find((one) => one.name === name);
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

/** Goes on to the collection that was used last, else to the first. */
function First({ collections }: { readonly collections: readonly Collection[] }) {
  const shown = collections.filter(hasOwnList);
  const first = shown.find(({ name }) => name === lastCollection()) ?? shown[0];
  useEffect(() => {
    if (first !== undefined) location.replace(linkTo('data', first.name));
  }, []);
  if (first !== undefined) return null;
  return (
    <Screen title={t.frame.noCollections}>
      <div class="empty">
        <p>{t.frame.declareSome}</p>
      </div>
    </Screen>
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
      <div class="empty">
        <p>{t.frame.throughParent(above.title)}</p>
        <a class="button" href={linkTo('data', above.name)}>
          {above.title}
        </a>
      </div>
    </Screen>
  );
}

function Waiting({ overview }: { readonly overview: Loaded<Overview> }) {
  const { brand } = useApp().settings;
  return (
    <Screen title={brand.title}>
      {overview.problem && !overview.isLoading ? (
        <ProblemNotice problem={overview.problem} onRetry={overview.reload} />
      ) : (
        <Loading what={t.frame.collections} rows={8} />
      )}
    </Screen>
  );
}

function NotFound() {
  return (
    <Screen title={t.frame.notFound}>
      <div class="empty">
        <a class="button" href={linkTo()}>
          {t.frame.goHome}
        </a>
      </div>
    </Screen>
  );
}
