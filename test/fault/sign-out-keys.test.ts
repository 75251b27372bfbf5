import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, describe, it } from 'node:test';
import { answerWith } from '../support/faults/hostile-answers.ts';
import { assertProblem } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, type Service } from '../support/services/service.ts';
import { encodeForm, formType } from '../support/tokens/oauth-form.ts';
import { type Claims, makeKey, type ProviderKey, type TestProvider } from '../support/tokens/provider.ts';
import { logoutToken, webClient } from '../support/tokens/provider-documents.ts';

/** A provider that sends logout tokens and rotates its key. */
let provider: TestProvider;
let service: Service;
const running = deployment({ settings: { WEB_CLIENT_ID: webClient, REFUSALS_PER_MINUTE: '1000000' } });
before(() => {
  ({ provider, service } = running());
});

const asks = (token: string) => withToken(service.url + me, token);
async function advance(milliseconds: number): Promise<void> {
  provider.aheadMs += milliseconds;
  await service.advance(milliseconds);
}
/** Asks for a key that does not exist, so that no further one is fetched for half a minute. */
async function useUpTheGuard(): Promise<void> {
  const token = await provider.token({}, { kid: randomUUID() });
  const before = provider.fetches;
  assertRefused(await asks(token), 'key_unknown', token);
  assert.equal(provider.fetches, before + 1, 'control: the provider was asked');
}
/** Waits until the pending search is done, the half minute after it is over, and the last fetch has succeeded. */
async function calm(): Promise<void> {
  provider.answer = null;
  for (let passed = 0; passed < 3; passed += 1) {
    await advance(61_000);
    const status = async () => (await asks(await provider.token())).status;
    await until(status, (status) => status === 200, 'the keys are not there');
  }
}
async function newKey(): Promise<ProviderKey> {
  const key = await makeKey();
  provider.keys.push(key);
  return key;
}
function assertPutOff(reply: Reply, longestSeconds: number): number {
  assertProblem(reply, 'keys_unavailable');
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= longestSeconds, `Retry-After: ${seconds}`);
  return seconds;
}

const make = (sub: string, key: ProviderKey, claims?: Claims) =>
  logoutToken(provider, { sub, ...claims }, {}, key);
const send = (token: string) =>
  request(`${service.url}/idp/logout`, {
    method: 'POST',
    headers: { 'content-type': formType },
    body: encodeForm({ logout_token: token }),
  });

describe('a logout token with an unknown key', () => {
  beforeEach(calm);

  const someone = async () => {
    const sub = randomUUID();
    const token = await provider.token({ sub });
    assert.equal((await asks(token)).status, 200);
    return { sub, token };
  };
  const isSignedOut = async (token: string) => {
    const ask = () => asks(token);
    const reply = await until(ask, ({ status }) => status === 403, 'whoever has signed out is let in');
    assertRefused(reply, 'token_revoked', token);
  };

  it('is accepted at once when a fetch is allowed', async () => {
    const { sub, token } = await someone();
    const reply = await send(await make(sub, await newKey()));
    assert.equal(reply.status, 200, reply.text);
    await isSignedOut(token);
  });

  it('is 503 with Retry-After during the cool-down, and accepted when repeated', async () => {
    const { sub, token } = await someone();
    await useUpTheGuard();
    const key = await newKey();
    const before = provider.fetches;
    const document = await make(sub, key);
    const seconds = assertPutOff(await send(document), 30);
    assertPutOff(await send(document), 30);
    const access = await provider.token({}, {}, key);
    assertRefused(await asks(access), 'key_unknown', access);
    assert.equal(provider.fetches, before, 'the provider is asked no sooner for it');
    await advance(seconds * 1000);
    const reply = await send(document);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(provider.fetches, before + 1);
    await isSignedOut(token);
  });

  it('is 503 with Retry-After while the keys cannot be fetched, and accepted afterwards', async () => {
    const { sub, token } = await someone();
    provider.answer = answerWith(500);
    await useUpTheGuardInVain();
    const key = await newKey();
    const document = await make(sub, key);
    const seconds = assertPutOff(await send(document), 60);
    provider.answer = null;
    await advance(seconds * 1000);
    const reply = await send(document);
    assert.equal(reply.status, 200, reply.text);
    await isSignedOut(token);
  });

  it('is refused with 400 once the fetched keys do not include its key', async () => {
    await useUpTheGuard();
    const strange = await makeKey();
    const document = await make('somebody', strange);
    const seconds = assertPutOff(await send(document), 30);
    await advance(seconds * 1000);
    for (let again = 0; again < 2; again += 1) assert.equal((await send(document)).status, 400);
  });

  it('is refused at once when another claim is wrong', async () => {
    await useUpTheGuard();
    const reply = await send(await make('somebody', await makeKey(), { aud: 'nobody' }));
    assert.equal(reply.status, 400, reply.text);
  });

  it('many cause no fetch during the cool-down and do not delay one with a known key', async () => {
    const { sub, token } = await someone();
    await useUpTheGuard();
    const before = provider.fetches;
    const strange = await makeKey();
    const invented = await Promise.all(
      Array.from({ length: 100 }, (_, index) => make(sub, { ...strange, kid: `invented ${index}` })),
    );
    for (const reply of await Promise.all(invented.map(send))) assertPutOff(reply, 30);
    assert.equal((await send(await make(sub, provider.key))).status, 200);
    await isSignedOut(token);
    assert.equal(provider.fetches, before);
  });
});

/** Lets a fetch for an unknown key fail. */
async function useUpTheGuardInVain(): Promise<void> {
  const token = await provider.token({}, { kid: randomUUID() });
  assertRefused(await asks(token), 'key_unknown', token);
}
