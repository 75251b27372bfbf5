import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { ConcurrencyLimit } from '../../src/base/concurrency-limit.ts';
import { Refusal } from '../../src/base/errors.ts';
import { toProblem, unchallenged } from '../../src/http/problem.ts';
import { createMint } from '../../src/tokens/mint.ts';
import { createSigningKey, openSigningKey } from '../../src/tokens/signing-key.ts';
import { statuses } from '../support/http/raw-http.ts';
import { request, withToken } from '../support/http/request.ts';
import { allAtOnce, concurrently, paced, tally } from '../support/load/flood.ts';
import { deployment } from '../support/services/deployment.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { me } from '../support/services/service.ts';
import { credentialForms, postOf } from '../support/tokens/oauth-form.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

describe('a flood', () => {
  const running = deployment({ settings: { TOKEN_SIGNING_ALG: 'ES256' }, clients: { machine: [] } });

  it('[C104] during 500 wrong secrets a second, callers with a token or the right secret are served', async () => {
    const { service, provider } = running();
    const known = await provider.token();
    assert.equal((await withToken(service.url + me, known)).status, 200);
    // From an address of its own: requests of one address wait for each other.
    const wrong = (index: number) => {
      const form = credentialForms[index % credentialForms.length] ?? 'JSON';
      const post = postOf(form, { id: 'machine', secret: `wrong-${index}` });
      return request(`${service.url}/token`, { method: 'POST', ...post, localAddress: '127.0.0.9' });
    };
    const [refused, welcome, tokens] = await Promise.all([
      paced(500, 1_500, wrong),
      paced(100, 300, () => withToken(service.url + me, known)),
      paced(20, 60, () => tokenOf(service.url, running().client('machine'))),
    ]);
    const byStatus = (replies: typeof refused) => tally(replies.map(({ status }) => status));
    assert.deepEqual(byStatus(welcome), new Map([[200, 300]]));
    assert.equal(new Set(tokens).size, 60);
    const ends = byStatus(refused);
    assert.ok(ends.has(401) && ends.has(429));
    // On a slow machine some wait too long.
    const others = [...ends.keys()].filter((status) => ![401, 429, 503].includes(status));
    assert.deepEqual(others, []);
  });

  it('[C110] each of 3,000 concurrent tokens has its own jti and a current iat', async () => {
    const { service } = running();
    const all = await concurrently(3_000, 50, async () => {
      const askedAt = Math.floor(Date.now() / 1000);
      const { jti, iat = 0 } = decodeJwt(await tokenOf(service.url, running().client('machine')));
      assert.ok(iat >= askedAt && iat <= Date.now() / 1000, `issued at ${iat}, asked for at ${askedAt}`);
      return jti;
    });
    assert.equal(all.length, 3_000);
    assert.equal(new Set(all).size, 3_000);
  });
});

describe('more tokens than the service can sign', () => {
  // One thread for all signatures: the queue is full, however fast the machine is.
  const running = deployment({ clients: { machine: [] } });

  it('[C110] past the limit POST /token is refused; waiting requests are signed in turn', async () => {
    const clock = new MovableClock();
    const times = { createdAt: 0, signsFrom: 0 };
    const sealingKey = new Uint8Array(randomBytes(32));
    const key = openSigningKey(await createSigningKey('ES256', sealingKey, times), sealingKey);
    const mint = createMint({
      issuer: 'https://api.example',
      audience: 'https://api.example',
      ttlSeconds: 600,
      keys: { current: () => key },
      limit: new ConcurrencyLimit({ running: 1, waiting: 2, refusal: 'signing_overloaded' }),
      clock,
    });
    const startedAt = Math.floor(clock.now() / 1000);
    const grant = { clientId: 'c', credentialId: 's', scopes: [], thumbprint: null };
    const begun = Promise.allSettled(Array.from({ length: 8 }, () => mint(grant)));
    clock.advance(100_000);
    const ends = await begun;
    const tokens = ends.flatMap((end) => (end.status === 'fulfilled' ? [decodeJwt(end.value)] : []));
    const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    assert.equal(tokens.length, 3);
    const waited = tokens.map(({ iat = 0 }) => iat - startedAt >= 100);
    assert.deepEqual(waited, [false, true, true]);
    for (const refusal of refusals) {
      assert.ok(refusal instanceof Refusal && refusal.code === 'signing_overloaded');
      const { status, head } = toProblem(refusal, unchallenged);
      assert.deepEqual([status, head], [503, ['retry-after', '1']]);
    }
    assert.ok(await mint(grant), 'there is room again');
  });

  it('[C110] POST /token is 200, or 503 with Retry-After; callers with a token are served', async () => {
    const { service, provider } = running();
    const known = await provider.token();
    assert.equal((await withToken(service.url + me, known)).status, 200);
    const flooding = allAtOnce(service.url, postOf('JSON', running().client('machine')), 1_900);
    const welcome = await concurrently(400, 4, () => withToken(service.url + me, known));
    const answers = (await flooding).join('');
    assert.deepEqual(tally(welcome.map(({ status }) => status)), new Map([[200, 400]]));
    const ends = tally(statuses(answers));
    const others = [...ends.keys()].filter((status) => ![200, 503].includes(status));
    assert.deepEqual(others, []);
    assert.equal((ends.get(200) ?? 0) + (ends.get(503) ?? 0), 1_900);
    // A thousand of a burst; on a machine that takes seconds to read it, it is one no more, and the line is kept short.
    assert.ok((ends.get(200) ?? 0) >= 100, `those who wait are served: ${[...ends]}`);
    const told = answers.match(/"code":"(?:signing_)?overloaded"/g)?.length;
    assert.equal(told, ends.get(503));
    assert.equal(answers.match(/^retry-after: 1\r$/gm)?.length, told);
    assert.ok(await tokenOf(service.url, running().client('machine')), 'there is room again');
  });
});
