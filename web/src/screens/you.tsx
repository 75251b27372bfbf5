import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Portrait, usePerson } from '../parts/person.tsx';
import { Screen } from '../parts/screen.tsx';
import { useLoad } from '../parts/use-load.ts';
import { displayMoment } from '../schema/display.ts';

/** What the provider knows and what the service stores, side by side. */
export function You() {
  return (
    <Screen
      title="You"
      lead="Your provider knows your name. This service knows a pseudonym, and never gets the name."
    >
      <div class="sides">
        <AtTheProvider />
        <div class="threshold" aria-hidden="true">
          <span>your name stays here</span>
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
        <Notice tone="bad" title="Your name and picture could not be loaded">
          <p>{problem.title}</p>
          <button type="button" class="small" onClick={reload}>
            Try again
          </button>
        </Notice>
      )}
      <p class="soft">
        From <strong>{new URL(session.provider.issuer).host}</strong>, directly to this page. This tab keeps
        it in memory and sends it to no other server.
      </p>
    </section>
  );
}

function AtTheService() {
  const { api, settings } = useApp();
  const { value, problem, isLoading, reload } = useLoad(() => api.me(), 'me');
  return (
    <section class="side cool" aria-labelledby="side-service">
      <h2 id="side-service">What this service stores</h2>
      {value !== null && (
        <dl class="held">
          <dt>Pseudonym</dt>
          <dd>
            <code>{value.id ?? 'none: your token has no subject'}</code>
          </dd>
          <dt>Kind</dt>
          <dd>{value.kind}</dd>
          <dt>Since</dt>
          <dd>{value.registered_at === null ? 'not stored' : displayMoment(value.registered_at)}</dd>
        </dl>
      )}
      {value === null && isLoading && <Loading what="what the service stores" />}
      {problem !== null && !isLoading && <ProblemNotice problem={problem} onRetry={reload} />}
      <p class="soft">
        From <code>{settings.api}/me</code>. This and your records are all that it stores about you. It has no
        name, no picture and no e-mail address.
      </p>
    </section>
  );
}
