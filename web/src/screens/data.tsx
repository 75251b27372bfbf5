import { useState } from 'preact/hooks';
import type { Receipt } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { hasOwnList } from '../records/family.ts';
import { NewLink } from '../records/may-create.tsx';
import { isReadByEveryone } from '../records/roles.ts';
import { UsageMeters } from '../records/usage-meters.tsx';
import { whoReads } from '../records/who-reads.ts';
import { Erase } from './erase.tsx';
import { Export } from './export.tsx';
import { ReceiptScreen } from './receipt.tsx';

/** Everything somebody keeps here: by collection, to take away, to erase. */
export function Data({ collections }: { readonly collections: readonly Collection[] }) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  if (receipt !== null) return <ReceiptScreen receipt={receipt} collections={collections} />;
  return (
    <Screen title="Your data" lead="What you keep here. You can take all of it away, and you can erase it.">
      {collections.length === 0 ? <Empty /> : <Shelves collections={collections} />}
      <div class="pair">
        <Export />
        <Erase onErased={setReceipt} />
      </div>
    </Screen>
  );
}

function Shelves({ collections }: { readonly collections: readonly Collection[] }) {
  const { api } = useApp();
  const usage = useLoad(() => api.usage(), 'usage');
  return (
    <>
      {usage.problem !== null && !usage.isLoading && (
        <ProblemNotice problem={usage.problem} onRetry={usage.reload} />
      )}
      <ul class="shelves">
        {collections.filter(hasOwnList).map((collection) => {
          const used = usage.value?.collections.find(({ name }) => name === collection.name);
          return (
            <li key={collection.name} class="card shelf">
              <h2>
                <a href={linkTo('data', collection.name)}>{collection.title}</a>
              </h2>
              {collection.description && <p>{collection.description}</p>}
              <Inside collection={collection} />
              {isReadByEveryone(collection) && <p class="soft">{whoReads(collection)}</p>}
              {used === undefined ? (
                usage.isLoading && <Loading what="usage" rows={1} />
              ) : (
                <UsageMeters usage={used} />
              )}
              <p class="shelf-foot">
                <a class="button" href={linkTo('data', collection.name)}>
                  Open<span class="hidden"> {collection.title}</span>
                </a>
                <NewLink collection={collection}>
                  New<span class="hidden"> in {collection.title}</span>
                </NewLink>
              </p>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What is in each of its records. */
function Inside({ collection: { children = [] } }: { readonly collection: Collection }) {
  if (children.length === 0) return null;
  return <p class="soft">In each of them: {children.map(({ title }) => title).join(', ')}.</p>;
}

function Empty() {
  return (
    <div class="empty">
      <p class="empty-title">Nothing can be kept here yet</p>
      <p>
        The operator has declared no collection. One YAML file in the folder <code>collections</code> is all
        it takes.
      </p>
    </div>
  );
}
