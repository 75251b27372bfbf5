import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { answerWith } from '../support/faults/hostile-answers.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { assertProblem } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { Deployment, deployment } from '../support/services/deployment.ts';
import { runVestibule, someEngine } from '../support/services/service.ts';
import { makeKey } from '../support/tokens/provider.ts';

describe('a cached token', () => {
  const pair = deployment({ hasKeys: true });
  const nowSeconds = () => Math.floor((Date.now() + pair().provider.aheadMs) / 1000);
  const isLetIn = async (token: string) => {
    const reply = await pair().me(token);
    assert.equal(reply.status, 200, reply.text);
    return reply.json();
  };

  it('[A49] tokens that differ only in their subject are never mixed up', async () => {
    const times = { iat: nowSeconds(), exp: nowSeconds() + 600, jti: 'one' };
    const subjects = Array.from({ length: 50 }, (_, index) => `subject ${index}`);
    const tokens = await Promise.all(subjects.map((sub) => pair().provider.token({ ...times, sub })));
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(tokens.map(isLetIn));
      const found = answers.map(({ subject }) => subject);
      assert.deepEqual(found, subjects);
      assert.equal(new Set(answers.map(({ id }) => id)).size, subjects.length);
    }
  });

  it('[A49] is refused as soon as its key has left the key set', async () => {
    const { provider } = pair();
    const far = { exp: nowSeconds() + 86_400 };
    const leaving = await makeKey();
    provider.keys.push(leaving);
    await pair().advance(600_000);
    const [token, other] = [await provider.token(far, {}, leaving), await provider.token(far)];
    await isLetIn(token);
    await isLetIn(other);
    provider.keys = provider.keys.filter((key) => key !== leaving);
    await pair().advance(600_000);
    assertRefused(await pair().me(token), 'key_unknown', token);
    await isLetIn(other);
  });

  it('[A49] is refused when its key was replaced under the same kid', async () => {
    const { provider } = pair();
    const token = await provider.token({ exp: nowSeconds() + 86_400 });
    await isLetIn(token);
    const mine = provider.keys;
    provider.keys = [await makeKey(provider.key.kid)];
    await pair().advance(600_000);
    assertRefused(await pair().me(token), 'signature_invalid', token);
    provider.keys = mine;
    await pair().advance(600_000);
    await isLetIn(token);
  });
});

describe("a token before the provider's keys are loaded", () => {
  const pair = deployment({
    prepare(_settings, provider) {
      provider.answer = answerWith(500);
    },
    hasKeys: true,
  });

  it('gets 503 until the keys are loaded, then 200', async () => {
    const { provider } = pair();
    const token = await provider.token();
    for (let count = 0; count < 3; count += 1) assertProblem(await pair().me(token), 'keys_unavailable');
    provider.answer = null;
    await pair().advance(75_000);
    assert.equal((await pair().me(token)).status, 200);
  });
});

/** Waits for the last change, and with it for all earlier ones. */
async function changeAllButCallers(pair: Deployment): Promise<void> {
  const { provider, service } = pair;
  const leaving = await provider.token({ sub: 'somebody who leaves' });
  const { id } = (await pair.me(leaving)).json<{ id: string }>();
  const command = async (...words: string[]) => succeeded(await runVestibule(service.settings, ...words));
  await command('consumer', 'sign-out', id);
  await command('client', 'add', 'a-client');
  await command('keys', 'rotate');
  await until(
    async () => (await request(`${service.url}/.well-known/jwks.json`)).json<{ keys: unknown[] }>().keys,
    ({ length }) => length === 2,
    'the new key is not heard of',
  );
  assert.equal((await pair.me(leaving)).status, 403, 'control: nor is the sign-out');
}

for (const engine of someEngine)
  describe(`a known caller during a database outage: ${engine}`, () => {
    let pair: Deployment;
    before(async () => {
      pair = await Deployment.start({ engine });
      await pair.settle();
    });
    after(() => pair.stop());

    it('a known caller gets 200 from memory, while a new caller gets 503', async () => {
      const { provider, service } = pair;
      const known = await provider.token({ sub: 'known caller' });
      const answer = (await pair.me(known)).json();
      await changeAllButCallers(pair);
      await withoutDatabase(service.settings, async () => {
        await until(
          async () => (await pair.ready()).status,
          (status) => status === 503,
          'the database is still there',
        );
        assertProblem(await pair.me(await provider.token({ sub: 'new caller' })), 'storage_unavailable');
        for (let count = 0; count < 5; count += 1) {
          const reply = await pair.me(known);
          assert.deepEqual([reply.status, reply.json()], [200, answer]);
        }
        assert.equal((await pair.me(await provider.token({ sub: 'known caller' }))).status, 200);
      });
      await until(
        async () => (await pair.me(await provider.token({ sub: 'new caller' }))).status,
        (status) => status === 200,
        'the database is not used again',
      );
      assert.deepEqual((await pair.me(known)).json(), answer);
    });
  });
