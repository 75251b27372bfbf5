import { displayMoment } from '../schema/display.ts';

/** What the registered claims of RFC 7519 and RFC 9068 mean. */
const meanings: Readonly<Record<string, string>> = {
  iss: 'who issued it',
  sub: 'whom it is about',
  aud: 'whom it is for',
  exp: 'until when it is good',
  nbf: 'from when it is good',
  iat: 'when it was issued',
  auth_time: 'when you signed in',
  jti: 'its number',
  sid: 'your session at the provider',
  client_id: 'to which application it was given',
  azp: 'to which application it was given',
  scope: 'what it allows',
  scp: 'what it allows',
  cnf: 'which key it is bound to',
};

const times = new Set(['exp', 'nbf', 'iat', 'auth_time']);

export function ClaimTable({ claims }: { readonly claims: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="claims">
      {Object.entries(claims).map(([name, value]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
            <span class="soft">{meanings[name]}</span>
          </dt>
          <dd>
            {times.has(name) && typeof value === 'number' ? (
              <Time seconds={value} />
            ) : (
              <code>{shown(value)}</code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Time({ seconds }: { readonly seconds: number }) {
  const text = new Date(seconds * 1000).toISOString();
  return (
    <>
      <time dateTime={text}>{displayMoment(text)}</time> <code class="soft">{seconds}</code>
    </>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
