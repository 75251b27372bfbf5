import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { type Reply, request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { type Service, someEngine } from '../support/services/service.ts';
import {
  addKeyClient,
  assertionClaims,
  assertionForm,
  type ClientKey,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { withBrokenSignature } from '../support/tokens/forged-token.ts';
import { assertOAuthError, encodeForm, formType, postForm } from '../support/tokens/oauth-form.ts';

const issuer = 'http://127.0.0.1/vestibule';
const settingsOfAll = { REFUSALS_PER_MINUTE: '1000000' };

let key: ClientKey;
before(async () => {
  key = await makeClientKey('RS256');
});
const assertionOf = (id: string, changes = {}) => signAssertion(key, assertionClaims(id, issuer, changes));
const post = (service: Service, assertion: string) => postForm(service.url, assertionForm(assertion));

function assertTaken(reply: Reply, what: string): void {
  assert.equal(reply.status, 200, `${what} ${reply.text}`);
}
function assertRefused(reply: Reply, what: string): void {
  assertOAuthError(reply, 401, 'invalid_client', what);
}

for (const engine of someEngine)
  describe(`replay of a client assertion, on ${engine}`, () => {
    const running = deployment({
      engine,
      processes: 2,
      settings: settingsOfAll,
      prepare: async (settings) => {
        for (const id of ['client', 'other-client']) await addKeyClient(settings, id, [key]);
      },
    });
    let first: Service;
    let second: Service;
    before(() => {
      [first, second] = running().services as [Service, Service];
    });

    it('an assertion is refused by the process that accepted it and by another on the same database', async () => {
      const assertion = await assertionOf('client');
      assertTaken(await post(first, assertion), 'the first time');
      for (const service of [first, second, first, second])
        assertRefused(await post(service, assertion), 'again');
      assertTaken(await post(second, await assertionOf('client')), 'another one');
    });

    it('another assertion with the same jti is refused; another client may use that jti', async () => {
      const jti = randomUUID();
      assertTaken(await post(first, await assertionOf('client', { jti })), 'the first time');
      const longer = Math.floor(Date.now() / 1000) + 300;
      for (const service of [first, second])
        assertRefused(await post(service, await assertionOf('client', { jti, exp: longer })), 'the same id');
      assertTaken(await post(second, await assertionOf('other-client', { jti })), 'of another client');
    });

    it('an assertion is accepted exactly once when two processes receive twenty copies at once', async () => {
      const assertion = await assertionOf('client');
      const copies = Array.from({ length: 20 }, (_, index) =>
        post(index % 2 === 0 ? first : second, assertion),
      );
      const replies = await Promise.all(copies);
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies.filter(({ status }) => status !== 200)) assertRefused(reply, 'a copy');
    });

    it('an assertion is refused after a first request that was refused for another reason', async () => {
      const assertion = await assertionOf('client');
      const greedy = await postForm(first.url, { ...assertionForm(assertion), scope: 'not-granted' });
      assertOAuthError(greedy, 400, 'invalid_scope', 'a scope that the client does not have');
      for (const service of [first, second]) assertRefused(await post(service, assertion), 'again');
    });

    it('an assertion is refused at POST /token after use at POST /revoke, and the reverse', async () => {
      const revoke = (service: Service, assertion: string) =>
        request(`${service.url}/revoke`, {
          method: 'POST',
          headers: { 'content-type': formType },
          body: encodeForm({ ...assertionForm(assertion), token: 'none of ours' }),
        });
      const [revoking, asking] = [await assertionOf('client'), await assertionOf('client')];
      assert.equal((await revoke(first, revoking)).status, 200);
      assertRefused(await post(second, revoking), 'after POST /revoke');
      assertTaken(await post(first, asking), 'the first time');
      assertRefused(await revoke(second, asking), 'after POST /token');
    });

    it('an assertion with a broken signature does not use up the jti', async () => {
      const assertion = await assertionOf('client');
      assertRefused(await post(first, withBrokenSignature(assertion)), 'a broken signature');
      assertTaken(await post(second, assertion), 'the good one');
    });
  });

describe('a used client assertion, as time passes', () => {
  const pair = deployment({
    settings: settingsOfAll,
    prepare: (settings) => addKeyClient(settings, 'client', [key]),
    hasKeys: true,
  });

  it('is refused until it expires; only then can its jti be used again', async () => {
    const { service } = pair();
    const exp = Math.floor(Date.now() / 1000) + 60;
    const jti = randomUUID();
    const used = await assertionOf('client', { exp, jti });
    assertTaken(await post(service, used), 'the first time');
    // Past its end, and within the five seconds by which clocks may differ.
    await service.advance(exp * 1000 + 200 - Date.now());
    assertTaken(await post(service, await assertionOf('client', { exp })), 'one like it, unused');
    assertRefused(await post(service, used), 'again');
    await service.advance(60_000);
    assertRefused(await post(service, used), 'long after its end');
    const later = await assertionOf('client', { exp: exp + 120, jti });
    assertTaken(await post(service, later), 'another one with its id');
  });
});
