import { displayMoment } from '../schema/display.ts';

/** The meaning of the registered claims (RFC 7519, RFC 9068). */
const meanings: Readonly<Record<string, string>> = {
  iss: 'the issuer',
  sub: 'you, as the issuer knows you',
  aud: 'the API that it is for',
  exp: 'when it expires',
  nbf: 'when it becomes valid',
  iat: 'when it was issued',
  auth_time: 'when you signed in',
  jti: 'the id of this token',
  sid: 'your session at the provider',
  client_id: 'the application that got it',
  azp: 'the application that got it',
  scope: 'what it allows',
  scp: 'what it allows',
  cnf: 'the key that it is bound to',
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
