import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { type Reply, requestFrom } from '../support/http/request.ts';
import { atOnce, type Deployment, deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const limit = 20;
const settings = { REFUSALS_PER_MINUTE: String(limit) };

const ask = (pair: Deployment, from: string, token: string, headers: Record<string, string> = {}) =>
  requestFrom(from, pair.service.url + me, { authorization: `Bearer ${token}`, ...headers });

function assertTooMany(reply: Reply): void {
  assertProblem(reply, 'too_many_refusals');
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
}

describe('an address above the refusal limit', () => {
  const pair = deployment({ settings, hasKeys: true });
  const bad = () => pair().provider.token({ aud: 'https://other.example' });
  /** Uses up the refusal limit of an address. */
  const exhaust = async (from: string) => {
    for (let count = 0; count < limit; count += 1) {
      const token = await bad();
      assertRefused(await ask(pair(), from, token), 'audience_mismatch', token);
    }
  };

  it('refusals up to the limit are 403, later ones 429 with Retry-After', async () => {
    await exhaust('127.0.0.1');
    for (let count = 0; count < 5; count += 1) assertTooMany(await ask(pair(), '127.0.0.1', await bad()));
    assertTooMany(await ask(pair(), '127.0.0.1', 'nonsense'));
    const metrics = await pair().service.metrics();
    assert.match(metrics, /^vestibule_auth_failures_total\{reason="too_many_refusals"\} 6$/m);
  });

  it('valid tokens from a limited address are served, cached and new ones', async () => {
    const seen = await pair().provider.token({ sub: 'seen' });
    for (let count = 0; count < 2 * limit; count += 1) {
      assert.equal((await ask(pair(), '127.0.0.1', seen)).status, 200);
      assert.equal((await ask(pair(), '127.0.0.1', await pair().provider.token())).status, 200);
    }
    const replies = await atOnce(20, async () => ask(pair(), '127.0.0.1', await pair().provider.token()));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assertTooMany(await ask(pair(), '127.0.0.1', await bad()));
  });

  it('missing and expired tokens from a limited address still get their own error', async () => {
    assertRefused(await requestFrom('127.0.0.1', pair().service.url + me), 'token_missing', 'no token');
    const expired = await pair().provider.token({ exp: 1_000_000_000 });
    assertRefused(await ask(pair(), '127.0.0.1', expired), 'token_expired', expired);
  });

  it('other addresses are not limited', async () => {
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      const token = await bad();
      assertRefused(await ask(pair(), from, token), 'audience_mismatch', token);
    }
  });

  it('forwarding headers of an untrusted peer do not change the counted address', async () => {
    for (const [name, value] of [
      ['x-forwarded-for', '192.0.2.1'],
      ['forwarded', 'for=192.0.2.1'],
      ['x-real-ip', '192.0.2.1'],
      ['x-client-ip', '192.0.2.1'],
    ] as const)
      assertTooMany(await ask(pair(), '127.0.0.1', await bad(), { [name]: value }));
    await exhaust('127.0.0.4');
    const claimed = { 'x-forwarded-for': '127.0.0.5' };
    assertTooMany(await ask(pair(), '127.0.0.4', await bad(), claimed));
    const token = await bad();
    assertRefused(await ask(pair(), '127.0.0.5', token), 'audience_mismatch', token);
  });

  it('answers other than token refusals are neither counted nor limited', async () => {
    await exhaust('127.0.0.6');
    const { url } = pair().service;
    for (let count = 0; count < 2 * limit; count += 1) {
      assert.equal((await requestFrom('127.0.0.7', `${url}/nowhere`)).status, 404);
      assert.equal((await requestFrom('127.0.0.7', `${url}/.well-known/jwks.json`)).status, 200);
    }
    assert.equal((await requestFrom('127.0.0.6', `${url}/nowhere`)).status, 404);
    const token = await bad();
    assertRefused(await ask(pair(), '127.0.0.7', token), 'audience_mismatch', token);
  });

  it('the limit ends after Retry-After', async () => {
    const reply = await ask(pair(), '127.0.0.1', await bad());
    assertTooMany(reply);
    await pair().advance((Number(reply.headers.get('retry-after')) - 5) * 1_000);
    assertTooMany(await ask(pair(), '127.0.0.1', await bad()));
    await pair().advance(6_000);
    await exhaust('127.0.0.1');
    assertTooMany(await ask(pair(), '127.0.0.1', await bad()));
  });
});

describe('refusal limit behind a trusted proxy', () => {
  const proxied = { ...settings, TRUSTED_PROXIES: '127.0.0.1, 127.0.0.8' };
  const pair = deployment({ settings: proxied, hasKeys: true });
  const bad = () => pair().provider.token({ aud: 'https://other.example' });
  const through = async (forwardedFor: string, token: string, proxy = '127.0.0.1') =>
    ask(pair(), proxy, token, { 'x-forwarded-proto': 'https', 'x-forwarded-for': forwardedFor });
  const exhaust = async (forwardedFor: (count: number) => string) => {
    for (let count = 0; count < limit; count += 1)
      assert.equal((await through(forwardedFor(count), await bad())).status, 403);
  };

  it('callers are counted by the address that the proxy forwards', async () => {
    await exhaust(() => '192.0.2.1');
    assertTooMany(await through('192.0.2.1', await bad()));
    assertTooMany(await through('192.0.2.1, 127.0.0.8', await bad()));
    assertTooMany(await through('192.0.2.1', await bad(), '127.0.0.8'));
    assert.equal((await through('192.0.2.2', await bad())).status, 403);
    assert.equal((await through('192.0.2.1', await pair().provider.token())).status, 200);
  });

  it('a peer that is not a trusted proxy is counted by its own address', async () => {
    for (let count = 0; count < limit; count += 1) {
      const reply = await through(`192.0.2.${100 + count}`, await bad(), '127.0.0.9');
      assert.equal(reply.json().code, 'https_required');
    }
    assertTooMany(await through('192.0.2.200', await bad(), '127.0.0.9'));
    assert.equal((await through('192.0.2.100', await bad())).status, 403, 'control: these were only claimed');
  });
});
