import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.ts';
import { assertProblem } from '../support/answers.ts';
import { canaryClaims } from '../support/canaries.ts';
import { newDpopKey, proofBy } from '../support/dpop.ts';
import { explained } from '../support/explained.ts';
import { answerText, answerWith, flood, silence } from '../support/hostile-answers.ts';
import { AskedEndpoint, answerJson, introspectingSettings, opaqueToken } from '../support/introspection.ts';
import { type Answer, type Claims, TestProvider } from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { request, withToken } from '../support/request.ts';
import { me, type Service, startService } from '../support/service.ts';

const clientId = 'resource-server';
const clientSecret = opaqueToken();
let provider: TestProvider;
let endpoint: AskedEndpoint;
let service: Service;

before(async () => {
  provider = await TestProvider.start();
  endpoint = await AskedEndpoint.start();
  const introspection = { url: endpoint.url, clientId, clientSecret };
  const more = { required_scopes: 'read', max_token_lifetime_seconds: 3600 };
  const settings = await introspectingSettings({ origin: provider.origin, introspection, more });
  service = await startService(settings);
});
after(async () => {
  endpoint.stop();
  await provider.stop();
  await service.stop();
});

const ask = (token: string) => withToken(`${service.url}${me}`, token);
/** The provider's claims of a good token; undefined leaves a member out. */
const about = (changes: Claims = {}) => {
  const all = { active: true, token_type: 'Bearer', ...provider.claims(), ...changes };
  return answerJson(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
};
const now = () => Math.floor(Date.now() / 1000);

/** Makes the next failure the first after a success, so that the circuit breaker is closed. */
async function recover(): Promise<void> {
  endpoint.answer = about();
  assert.equal((await ask(opaqueToken())).status, 200, 'control: a good answer lets the token in');
}

describe('a valid introspection response', () => {
  const good: Record<string, () => Answer> = {
    'with everything': () => about(),
    'without iss': () => about({ iss: undefined }),
    'without token_type': () => about({ token_type: undefined }),
    'with a token_type in lower case': () => about({ token_type: 'bearer' }),
    'with token_use access_token': () => about({ token_use: 'access_token' }),
    'for several audiences': () => about({ aud: ['https://other.example', provider.claims().aud] }),
    'without a subject': () => about({ sub: undefined }),
  };
  for (const [what, answer] of Object.entries(good)) {
    it(`${what}: 200, and explain agrees`, async () => {
      await recover();
      endpoint.answer = answer();
      const token = opaqueToken();
      const reply = await ask(token);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.json().issuer, provider.origin);
      assert.equal((await explained(service.settings, token)).code, null);
    });
  }

  it('[B66] of 64 KiB is read; one more byte is refused', async () => {
    await recover();
    const said = JSON.stringify({ active: true, ...provider.claims() });
    const padded = (bytes: number) => answerText(said + ' '.repeat(bytes - Buffer.byteLength(said)));
    endpoint.answer = padded(64 * 1024);
    assert.equal((await ask(opaqueToken())).status, 200);
    endpoint.answer = padded(64 * 1024 + 1);
    assertProblem(await ask(opaqueToken()), 'introspection_unavailable');
  });

  it('gives the same caller id as a JWT of the same subject', async () => {
    await recover();
    const [opaque, jwt] = await Promise.all([ask(opaqueToken()), ask(await provider.token())]);
    assert.equal(opaque.json().id, jwt.json().id);
  });

  it('binds the token to its cnf key: only a request with a proof is accepted', async () => {
    await recover();
    const key = newDpopKey();
    endpoint.answer = about({ token_type: 'DPoP', cnf: { jkt: key.thumbprint } });
    const token = opaqueToken();
    const proving = { method: 'GET', url: `${service.settings.BASE_URL}${me}`, token };
    const send = (scheme: string, headers: Record<string, string>) =>
      request(`${service.url}${me}`, { headers: { ...headers, authorization: `${scheme} ${token}` } });
    const proven = await send('DPoP', { dpop: proofBy(key, proving) });
    assert.equal(proven.status, 200, proven.text);
    const other = await send('DPoP', { dpop: proofBy(newDpopKey(), proving) });
    assert.equal(other.status, 403, other.text);
    assert.equal((await send('Bearer', {})).json().code, 'token_bound');
  });

  it('is requested as RFC 7662 and RFC 6749 section 2.3.1 say', async () => {
    const token = opaqueToken();
    await ask(token);
    const { method, headers, form } = endpoint.questions.at(-1) ?? assert.fail('nothing was asked');
    assert.equal(method, 'POST');
    assert.match(String(headers['content-type']), /^application\/x-www-form-urlencoded/);
    assert.equal(headers.accept, 'application/json');
    assert.equal(headers.authorization, `Basic ${btoa(`${clientId}:${clientSecret}`)}`);
    assert.deepEqual(Object.fromEntries(form), { token, token_type_hint: 'access_token' });
  });
});

describe('an introspection response that refuses the token', () => {
  const refusals: Record<string, readonly [ErrorCode, () => Answer]> = {
    'not active': ['token_inactive', () => answerJson({ active: false })],
    'not active, with valid claims': [
      'token_inactive',
      () => answerJson({ ...provider.claims(), active: false }),
    ],
    'of another issuer': ['issuer_mismatch', () => about({ iss: 'https://elsewhere.example' })],
    'with an iss that is null': ['issuer_mismatch', () => about({ iss: null })],
    'for another audience': ['audience_mismatch', () => about({ aud: 'https://other.example' })],
    'without an audience': ['audience_mismatch', () => about({ aud: undefined })],
    'expired, and called active': ['token_expired', () => about({ exp: now() - 60 })],
    'without an expiry': ['expiry_missing', () => about({ exp: undefined })],
    'with an exp that is a string': ['claim_invalid', () => about({ exp: String(now() + 600) })],
    'not valid yet': ['token_not_yet_valid', () => about({ nbf: now() + 100_000, exp: now() + 200_000 })],
    'that lives too long': ['token_lifetime_too_long', () => about({ exp: now() + 200_000 })],
    'with an empty subject': ['subject_invalid', () => about({ sub: '' })],
    'without the scope that is required': ['insufficient_scope', () => about({ scope: 'write' })],
    'bound by an unknown cnf member': ['token_bound', () => about({ cnf: { kid: 'x' } })],
    'of the type DPoP without cnf': ['token_bound', () => about({ token_type: 'DPoP' })],
    'about a refresh token': ['token_type_not_allowed', () => about({ token_type: 'refresh_token' })],
    'about a refresh token, as Hydra says it': [
      'token_type_not_allowed',
      () => about({ token_use: 'refresh_token' }),
    ],
    'about an ID token': ['token_type_not_allowed', () => about({ at_hash: 'x' })],
  };
  for (const [what, [code, answer]] of Object.entries(refusals)) {
    it(`${what}: 403 ${code}, one request to the provider for many, and explain agrees`, async () => {
      await recover();
      endpoint.answer = answer();
      const token = opaqueToken();
      const asked = await endpoint.asked(async () => {
        for (let count = 0; count < 4; count += 1) {
          const reply = await ask(token);
          assert.equal(reply.json().code, code, reply.text);
          if (code !== 'insufficient_scope') assertRefused(reply, code, token);
        }
      });
      assert.equal(asked, 1);
      const { code: said } = await explained(service.settings, token);
      assert.equal(said, code);
    });
  }
});

describe('an invalid introspection response', () => {
  const elsewhere = (): Answer => answerWith(307, '', { location: `${endpoint.url}/elsewhere` });
  const huge = () => flood({}, Buffer.alloc(64 * 1024, ' '), Number.MAX_SAFE_INTEGER).answer;
  const faults: Record<string, readonly [fault: string, answer: () => Answer]> = {
    'no response': ['timeout', () => silence],
    'status 500': ['status', () => answerWith(500)],
    'status 401': ['status', () => answerWith(401)],
    'status 400': ['status', () => answerWith(400)],
    'a redirect': ['status', elsewhere],
    'an endless body': ['too_large', huge],
    'an HTML page': ['not_json', () => answerText('<!doctype html><title>Sign in</title>', 'text/html')],
    'a list': ['not_json', () => answerJson([{ active: true }])],
    '"active" as a string': ['not_json', () => about({ active: 'true' })],
    '"active" as a number': ['not_json', () => about({ active: 1 })],
    'no "active"': ['not_json', () => about({ active: undefined })],
    'a signed answer (RFC 9701)': [
      'not_json',
      () => (_request, response) => {
        void provider.token({ token_introspection: { active: true } }).then((jwt) => {
          response.writeHead(200, { 'content-type': 'application/token-introspection+jwt' }).end(jwt);
        });
      },
    ],
  };
  for (const [what, [fault, answer]] of Object.entries(faults)) {
    it(`${what}: 503 with Retry-After, counted as ${fault}, and explain agrees`, async () => {
      await recover();
      const metric = new RegExp(
        `^vestibule_introspections_total\\{provider="main",result="${fault}"\\} (\\d+)$`,
        'm',
      );
      const counted = async () => Number(metric.exec(await service.metrics())?.[1] ?? 0);
      const before = await counted();
      endpoint.answer = answer();
      const token = opaqueToken();
      const questions = endpoint.questions.length;
      const [refused, { code: said }] = await Promise.all([ask(token), explained(service.settings, token)]);
      assert.equal(refused.status, 503, refused.text);
      assert.equal(
        endpoint.questions.length - questions,
        2,
        'each asks once: no redirect is followed, and nothing is repeated',
      );
      assert.equal(refused.json().code, 'introspection_unavailable');
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.ok(!refused.text.includes(token));
      assert.equal((await counted()) - before, 1);
      assert.equal(said, 'introspection_unavailable');
      const jwt = await provider.token();
      const reply = await ask(jwt);
      assert.equal(reply.status, 200, 'a JWT needs nobody to be asked');
    });
  }
});

describe('tokens that are not introspected', () => {
  it('are JWTs, valid or not, and strings that cannot be tokens', async () => {
    await recover();
    const jwt = await provider.token();
    const [header, payload] = jwt.split('.');
    const tokens: Record<string, string> = {
      'a good JWT': jwt,
      'one with another signature': `${jwt.slice(0, -6)}AAAAAA`,
      'one without its signature': `${header}.${payload}.`,
      'an expired one': await provider.token({ exp: now() - 1_000 }),
      'one of another issuer': await provider.token({ iss: 'https://elsewhere.example' }),
      'three parts of anything': 'aaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbb.cccccccccccccccccccc',
      'a damaged one': `${header}.${payload}~.${'c'.repeat(40)}`,
      'one with a dot too many': `${jwt}.`,
      'one with two dots for one': jwt.replace('.', '..'),
      'one whose dots are none': jwt.replaceAll('.', '~'),
      'an encrypted one, of five parts': `${header}..${'i'.repeat(16)}.${'c'.repeat(40)}.${'t'.repeat(22)}`,
      'half of one': `${header}.${payload}`,
      'something short': 'abcdefghijklmnopqrs',
      'something long': 'a'.repeat(8_193),
    };
    for (const [what, token] of Object.entries(tokens)) {
      const asked = await endpoint.asked(() => ask(token));
      assert.equal(asked, 0, what);
    }
    const asked = await endpoint.asked(() => withToken(`${service.url}${me}`, `${opaqueToken()},x`));
    assert.equal(asked, 0, 'what is no bearer token at all');
  });

  it('are all tokens of an entry without introspection', async () => {
    const settings = await introspectingSettings({ origin: provider.origin, introspection: null });
    const off = await startService(settings);
    const token = opaqueToken();
    const asked = await endpoint.asked(async () =>
      assertRefused(await withToken(`${off.url}${me}`, token), 'token_malformed', token),
    );
    assert.equal(asked, 0);
    await off.stop();
  });
});

it('the log contains no token and no introspection response', async () => {
  await recover();
  const tokens = [opaqueToken(), opaqueToken()];
  for (const token of tokens) await ask(token);
  endpoint.answer = answerWith(500, JSON.stringify(canaryClaims));
  const failing = opaqueToken();
  await ask(failing);
  const log = JSON.stringify(service.logLines());
  for (const text of [...tokens, failing, clientSecret, canaryClaims.sub, canaryClaims.email])
    assert.ok(!log.includes(text), text);
});
