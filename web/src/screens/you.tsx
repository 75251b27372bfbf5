import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Portrait, usePerson } from '../parts/person.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { displayMoment } from '../schema/display.ts';

/** What the provider knows and what the service holds, side by side: the difference is the point. */
export function You() {
  return (
    <Screen title="You" lead="The same person, seen from two sides of the door. Your name does not cross it.">
      <div class="sides">
        <AtTheProvider />
        <div class="threshold" aria-hidden="true">
          <span>the door</span>
        </div>
        <AtTheService />
      </div>
    </Screen>
  );
}

function AtTheProvider() {
  const { session } = useApp();
  const { value, problem, isLoading, reload } = usePerson();
  return (
    <section class="side warm" aria-labelledby="side-provider">
      <h2 id="side-provider">What your provider knows</h2>
      {value !== null && (
        <div class="who">
          <Portrait
            person={value}
            size={96}
            alt={value.name === null ? 'Your picture' : `Picture of ${value.name}`}
          />
          <p class="who-name">{value.name ?? 'No name'}</p>
        </div>
      )}
      {value === null && isLoading && <Loading what="your name and picture" rows={2} />}
      {problem !== null && !isLoading && (
        <Notice tone="bad" title="Your name and picture did not come">
          <p>{problem.title}</p>
          <button type="button" class="small" onClick={reload}>
            Try again
          </button>
        </Notice>
      )}
      <p class="soft">
        From <strong>{new URL(session.provider.issuer).host}</strong>, straight to this page. It is in the
        memory of this tab, and it is never sent on.
      </p>
    </section>
  );
}

function AtTheService() {
  const { api, settings } = useApp();
  const { value, problem, isLoading, reload } = useLoad(() => api.me(), 'me');
  return (
    <section class="side cool" aria-labelledby="side-service">
      <h2 id="side-service">What this service holds</h2>
      {value !== null && (
        <dl class="held">
          <dt>Pseudonym</dt>
          <dd>
            <code>{value.id ?? 'none: your token names nobody'}</code>
          </dd>
          <dt>Kind</dt>
          <dd>{value.kind}</dd>
          <dt>Since</dt>
          <dd>{value.registered_at === null ? 'not kept' : displayMoment(value.registered_at)}</dd>
        </dl>
      )}
      {value === null && isLoading && <Loading what="what the service holds" />}
      {problem !== null && !isLoading && <ProblemNotice problem={problem} onRetry={reload} />}
      <p class="soft">
        From <code>{settings.api}/me</code>. That, and the records you make, is all there is about you. No
        name, no picture, no e-mail address.
      </p>
    </section>
  );
}
