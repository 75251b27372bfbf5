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

/** The collections with what the caller has in each, the export and the erasure. */
export function Data({ collections }: { readonly collections: readonly Collection[] }) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  if (receipt !== null) return <ReceiptScreen receipt={receipt} collections={collections} />;
  return (
    <Screen
      title="Your data"
      lead="Your records in this service. You can export all of them, and you can erase them."
    >
      {collections.length === 0 ? <Empty /> : <CollectionCards collections={collections} />}
      <div class="pair">
        <Export />
        <Erase onErased={setReceipt} />
      </div>
    </Screen>
  );
}

function CollectionCards({ collections }: { readonly collections: readonly Collection[] }) {
  const { api } = useApp();
  const usage = useLoad(() => api.usage(), 'usage');
  return (
    <>
      {usage.problem !== null && !usage.isLoading && (
        <ProblemNotice problem={usage.problem} onRetry={usage.reload} />
      )}
      <ul class="collections">
        {collections.filter(hasOwnList).map((collection) => {
          const used = usage.value?.collections.find(({ name }) => name === collection.name);
          return (
            <li key={collection.name} class="card collection">
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
              <p class="collection-foot">
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

/** The collections under its records. */
function Inside({ collection: { children = [] } }: { readonly collection: Collection }) {
  if (children.length === 0) return null;
  return <p class="soft">In each of them: {children.map(({ title }) => title).join(', ')}.</p>;
}

function Empty() {
  return (
    <div class="empty">
      <p class="empty-title">There are no collections yet</p>
      <p>
        The operator declares collections: put a YAML file into the folder <code>collections</code> and
        restart the service.
      </p>
    </div>
  );
}
