import { useState } from 'preact/hooks';
import { Alerts } from './alerts.tsx';
import { CallerLookup } from './caller.tsx';
import type { Data } from './data.ts';
import { DataSection } from './data-section.tsx';
import { Delivery } from './delivery.tsx';
import { Identity } from './identity.tsx';
import { Machine } from './machine.tsx';
import { Mark } from './parts.tsx';
import { type Problem, problemsOf } from './problems.ts';
import { Traffic } from './traffic.tsx';
import { useData } from './use-data.ts';

/** What is wrong comes first. */
const sections = ['alerts', 'traffic', 'data', 'identity', 'delivery', 'machine', 'caller'] as const;

export function App() {
  const [token, setToken] = useState('');
  const { data, lostAt, refused, retry } = useData(token);
  if (refused === 401)
    return (
      <TokenForm isWrong={token !== ''} onToken={(typed) => (typed === token ? retry() : setToken(typed))} />
    );
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <h1>Vestibule console</h1>
        <nav aria-label="Sections">
          {sections.map((id) => (
            <a key={id} href={`#${id}`}>
              {id}
            </a>
          ))}
        </nav>
      </header>
      <div class="summary">
        <Headline data={data} lostAt={lostAt} />
        {data !== null && <p class="soft">{releaseOf(data)}</p>}
      </div>
      <main id="content" tabIndex={-1} class={lostAt === null ? '' : 'old'} aria-busy={data === null}>
        {data === null ? (
          <Waiting isLost={lostAt !== null} onRetry={retry} />
        ) : (
          <Sections data={data} token={token} />
        )}
      </main>
    </>
  );
}

function Sections({ data, token }: { readonly data: Data; readonly token: string }) {
  return (
    <>
      <Alerts {...data} />
      <Traffic {...data} />
      <DataSection {...data} />
      <Identity {...data} />
      <Delivery {...data} />
      <Machine {...data} />
      <CallerLookup token={token} />
    </>
  );
}

function releaseOf({ build, database }: Data): string {
  const { version = '', commit = '', node = '' } = build;
  const release = version === '' ? 'No process answers' : `Release ${version} (${commit}) on Node.js ${node}`;
  return database === undefined
    ? release
    : `${release}, ${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`;
}

/** The state of the service and its problems. Screen readers announce changes. */
function Headline({ data, lostAt }: { readonly data: Data | null; readonly lostAt: Date | null }) {
  if (lostAt !== null)
    return (
      <p class="headline" role="alert">
        <Mark mood="bad">
          The service has not answered since {lostAt.toLocaleTimeString()}.{' '}
          {data !== null && 'The numbers below are out of date.'}
        </Mark>
      </p>
    );
  if (data === null) return null;
  const problems = problemsOf(data);
  const isReady = data.health.status === 'ready';
  return (
    <div class="headline" role="status">
      <Mark mood={isReady ? (problems.length === 0 ? 'good' : 'warn') : 'bad'}>
        {isReady ? 'Ready' : `The service is ${data.health.status}`}
        {problems.length === 0 ? ', and nothing needs attention' : isReady && ', but this needs attention'}
      </Mark>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <ProblemLine key={problem.text} {...problem} />
          ))}
        </ul>
      )}
    </div>
  );
}

function ProblemLine({ section, mood, text }: Problem) {
  return (
    <li>
      <Mark mood={mood}>
        <a href={`#${section}`}>{text}</a>
      </Mark>
    </li>
  );
}

function Waiting({ isLost, onRetry }: { readonly isLost: boolean; readonly onRetry: () => void }) {
  if (!isLost)
    return (
      <div class="waiting" role="status">
        <span class="hidden">Loading the numbers…</span>
        {[1, 2, 3, 4, 5, 6].map((bone) => (
          <div key={bone} class="bone" />
        ))}
      </div>
    );
  return (
    <p>
      Check the process and the last lines of its log. This page retries every two seconds.{' '}
      <button type="button" onClick={onRetry}>
        Ask now
      </button>
    </p>
  );
}

interface TokenFormProps {
  readonly isWrong: boolean;
  readonly onToken: (token: string) => void;
}

function TokenForm({ isWrong, onToken }: TokenFormProps) {
  const [typed, setTyped] = useState('');
  const send = (event: Event) => {
    event.preventDefault();
    onToken(typed.trim());
  };
  return (
    <main class="token">
      <h1>Vestibule console</h1>
      <form onSubmit={send}>
        <label for="token">Token (OPS_TOKEN)</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          required
          aria-describedby="token-note"
          aria-invalid={isWrong}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <p id="token-note" role={isWrong ? 'alert' : undefined}>
          {isWrong ? 'The token is wrong.' : 'The page keeps the token until you close or reload it.'}
        </p>
        <button type="submit">Open</button>
      </form>
    </main>
  );
}
