import { useEffect, useState } from 'preact/hooks';
import { createClient } from '../api/client.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useSecondsUntil } from '../parts/use-clock.ts';
import { useLoad } from '../parts/use-load.ts';
import { duration } from '../schema/display.ts';
import { readClaims } from '../session/claims.ts';
import type { Tokens } from '../session/provider.ts';
import type { Session } from '../session/session.ts';
import type { ProviderSettings } from '../session/settings.ts';
import { BoundToken } from './bound-token.tsx';
import { ClaimTable } from './claim-table.tsx';
import { tokenWords } from './token-words.ts';

/** The access token: its claims, its lifetime, and whether the service accepts it. */
export function TokenScreen() {
  const { session, settings, announce } = useApp();
  const tokens = useTokens(session);
  const claims = tokens === null ? null : readClaims(tokens.access);
  const [failure, setFailure] = useState<Failure | null>(null);
  const attempt = async (work: () => Promise<unknown>, done: string, whatFailed: Failure) => {
    setFailure(null);
    announce('');
    await work().then(
      () => announce(done),
      () => setFailure(whatFailed),
    );
  };
  const renew = () => attempt(() => session.renew(), 'A new token is here.', failures.renew);
  const copy = async ({ access }: Tokens) =>
    // The clipboard is undefined without HTTPS, and the browser may refuse access to it.
    attempt(async () => navigator.clipboard.writeText(access), 'The token is copied.', failures.copy);
  return (
    <Screen title="Token" lead="The access token that this page sends with every request to the service.">
      {tokens !== null && (
        <>
          <Life tokens={tokens} />
          {settings.providers.length > 1 && <Issuer provider={session.provider} />}
          <div class="buttons">
            <BusyButton class="primary" busyLabel="Copying…" onPress={() => copy(tokens)}>
              Copy it
            </BusyButton>
            <BusyButton busyLabel="Renewing…" onPress={renew}>
              Renew it now
            </BusyButton>
          </div>
          {failure !== null && (
            <Notice tone="bad" title={failure.title}>
              <p>{failure.advice}</p>
            </Notice>
          )}
          {tokens.key === null ? (
            <p class="soft">
              Keep it secret: until it expires, anybody who has it can act in your name here.
            </p>
          ) : (
            <BoundToken />
          )}
          <Check token={tokens.access} session={session} />
        </>
      )}
      <section class="card" aria-labelledby="claims">
        <h2 id="claims">The claims in it</h2>
        {claims === null ? (
          <p>This token is not a JWT. Only the provider can read it.</p>
        ) : (
          <ClaimTable claims={claims} />
        )}
      </section>
    </Screen>
  );
}

interface Failure {
  readonly title: string;
  readonly advice: string;
}

const failures = {
  renew: {
    title: 'The provider does not answer',
    advice: 'You still have the token from before. Try again in a moment.',
  },
  copy: {
    title: 'The token was not copied',
    advice: 'The browser does not allow this page to use the clipboard.',
  },
} satisfies Record<string, Failure>;

function useTokens(session: Session): Tokens | null {
  const [tokens, setTokens] = useState(session.tokens);
  useEffect(() => session.subscribe(() => setTokens(session.tokens)), [session]);
  return tokens;
}

/** The provider, where the page offers several. */
function Issuer({ provider: { title, issuer } }: { readonly provider: ProviderSettings }) {
  return (
    <p>
      From <strong>{title}</strong>, at <code>{new URL(issuer).host}</code>.
    </p>
  );
}

function Life({ tokens: { expiresAtMs, lifeMs } }: { readonly tokens: Tokens }) {
  const seconds = useSecondsUntil(expiresAtMs);
  const share = Math.min(1, (seconds * 1000) / lifeMs);
  return (
    <div class={`life ${seconds === 0 ? 'over' : ''}`}>
      <p class="life-text" role="timer">
        {seconds === 0 ? (
          <>It has expired. The page fetches a new one when it needs one.</>
        ) : (
          <>
            Valid for another <strong>{duration(seconds)}</strong>
          </>
        )}
      </p>
      <div class="meter-bar" aria-hidden="true">
        <div class="meter-fill" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

/** Sends the token as it is, without renewing it, to show why the service refuses it. */
function Check({ token, session }: { readonly token: string; readonly session: Session }) {
  const { fetch } = session;
  const api = createClient({ url: location.origin, token: () => token, repeats: false, fetch });
  const { value, problem, isLoading, reload } = useLoad(() => api.me(), token);
  return (
    <section class="card" aria-labelledby="check">
      <h2 id="check">Check by the service</h2>
      {isLoading && <Loading what="the result" rows={1} />}
      {!isLoading && problem === null && value !== null && (
        <Notice tone="good" title="Accepted">
          <p>
            <code>200</code> Signature, issuer, audience and times are right.{' '}
            {value.id === null ? (
              'It has no subject, so nothing is stored about you.'
            ) : (
              <>
                You are <code>{value.id}</code>.
              </>
            )}
          </p>
        </Notice>
      )}
      {!isLoading && problem !== null && (
        <>
          <Notice tone="bad" title={`Refused: ${tokenWords(problem).heading}`}>
            <p>{tokenWords(problem).advice}</p>
            <p>
              <code class="code">
                {problem.status > 0 ? `${problem.status} ${problem.code}` : problem.code}
              </code>
            </p>
          </Notice>
          {problem.status > 0 && <pre>{JSON.stringify(problem.document, null, 2)}</pre>}
        </>
      )}
      <button type="button" class="small" onClick={reload}>
        Check again
      </button>
    </section>
  );
}
