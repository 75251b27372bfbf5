import { useState } from 'preact/hooks';
import type { Receipt } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Portrait, usePerson } from '../parts/person.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { UsageMeters } from '../records/usage-meters.tsx';
import { displayMoment } from '../schema/display.ts';
import { hasKeys, setKeys } from '../session/traces.ts';
import { Erase } from './erase.tsx';
import { Export } from './export.tsx';
import { ReceiptScreen } from './receipt.tsx';

/** Behind the name of the person: what is stored, the limits, the export, the erasure, and signing out. */
export function Account({ collections }: { readonly collections: readonly Collection[] }) {
  const { session, settings } = useApp();
  const person = usePerson();
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  if (receipt !== null) return <ReceiptScreen receipt={receipt} collections={collections} />;
  return (
    <Screen
      title={person.value?.name ?? t.account.title}
      actions={
        <button type="button" class="small" onClick={() => void session.signOut()}>
          {t.account.signOut}
        </button>
      }
    >
      <div class="page pair">
        <section class="card" aria-labelledby="known">
          <h2 id="known">{t.account.known}</h2>
          <div class="who-large">
            <Portrait person={person.value} size={96} alt="" />
            <p class="soft">{t.account.fromProvider(new URL(session.provider.issuer).host)}</p>
          </div>
          {person.problem !== null && !person.isLoading && <p class="soft">{t.account.noProfile}</p>}
          <Stored />
          {settings.dev && (
            <p>
              <a href={linkTo('token')}>{t.account.token}</a>
            </p>
          )}
          <label class="switch">
            <input
              type="checkbox"
              checked={hasKeys()}
              onChange={(event) => setKeys(event.currentTarget.checked)}
            />
            {t.account.keys}
          </label>
        </section>
        <Limits collections={collections} />
        <Export />
        <Erase onErased={setReceipt} />
      </div>
    </Screen>
  );
}

/** What the service has of the person. */
function Stored() {
  const { api } = useApp();
  const { value, problem, isLoading, reload } = useLoad(() => api.me(), 'me');
  if (value === null)
    return problem !== null && !isLoading ? (
      <ProblemNotice problem={problem} onRetry={reload} />
    ) : (
      <Loading what={t.account.known} rows={2} />
    );
  return (
    <dl class="held">
      <div>
        <dt>{t.account.pseudonym}</dt>
        <dd>
          <code>{value.id ?? t.none}</code>
        </dd>
      </div>
      {value.registered_at !== null && (
        <div>
          <dt>{t.account.since}</dt>
          <dd>{displayMoment(value.registered_at)}</dd>
        </div>
      )}
    </dl>
  );
}

function Limits({ collections }: { readonly collections: readonly Collection[] }) {
  const { api } = useApp();
  const usage = useLoad(() => api.usage(), 'usage');
  const titleOf = (name: string) => collections.find((one) => one.name === name)?.title ?? name;
  return (
    <section class="card" aria-labelledby="limits">
      <h2 id="limits">{t.account.limits}</h2>
      {usage.value === null && usage.isLoading && <Loading what={t.account.limits} />}
      {usage.problem !== null && !usage.isLoading && (
        <ProblemNotice problem={usage.problem} onRetry={usage.reload} />
      )}
      {usage.value?.collections.map((used) => (
        <div key={used.name}>
          <h3>{titleOf(used.name)}</h3>
          <UsageMeters usage={used} />
        </div>
      ))}
    </section>
  );
}
