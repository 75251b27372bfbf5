import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describe as describeError } from '../../src/base/errors.ts';
import { assertEmptyObject } from '../support/http/answers.ts';
import { type Reply, request } from '../support/http/request.ts';
import { type Deployment, deployment } from '../support/services/deployment.ts';
import { addClient, type Settings } from '../support/services/service.ts';
import { type CredentialForm, credentialForms, postOf } from '../support/tokens/oauth-form.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

const limit = 5;
const settings = { REFUSALS_PER_MINUTE: String(limit * 40) };
const client = { id: 'machine', secret: '' };
const prepare = async (all: Settings) => {
  client.secret = await addClient(all, client.id);
};
const wrong = (id: string): Credentials => ({ id, secret: 'wrong' });

interface Try {
  readonly from: string;
  readonly form?: CredentialForm;
  readonly headers?: Readonly<Record<string, string>>;
}

function attempt(pair: Deployment, credentials: Credentials, { from, form = 'JSON', headers }: Try) {
  const post = postOf(form, credentials);
  const merged = { ...post, headers: { ...post.headers, ...headers } };
  return request(`${pair.service.url}/token`, { method: 'POST', localAddress: from, ...merged });
}

function assertTooMany(reply: Reply, form: CredentialForm = 'JSON'): void {
  const seconds = Number(reply.headers.get('retry-after'));
  assert.equal(reply.status, 429, reply.text);
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  assert.equal(reply.headers.get('www-authenticate'), null);
  if (form === 'JSON') {
    assertEmptyObject(reply, 429, form);
    return;
  }
  const { sentence } = describeError('oauth_too_many_failures');
  assert.deepEqual(reply.json(), { error: 'invalid_client', error_description: sentence });
  assert.equal(reply.headers.get('content-type'), 'application/json');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
}

describe('too many wrong credentials', () => {
  const pair = deployment({ settings, prepare, hasKeys: true });
  const fail = (id: string, from: string, form: CredentialForm = 'JSON') =>
    attempt(pair(), wrong(id), { from, form });
  const succeed = async (from: string) => {
    for (const form of credentialForms) {
      const { status, text } = await attempt(pair(), client, { from, form });
      assert.equal(status, 200, `${form} ${text}`);
    }
  };
  const exhaust = async (id: string, from: string, form?: CredentialForm) => {
    for (let count = 0; count < limit; count += 1)
      assert.equal((await fail(id, from, form)).status, 401, `try ${count + 1}`);
  };

  for (const [index, form] of credentialForms.entries())
    it(`[C100] with ${form} failures up to the limit are 401, further ones 429 with Retry-After`, async () => {
      const [id, from] = [`guessed-${index}`, `127.0.1.${index + 1}`];
      await exhaust(id, from, form);
      for (let count = 0; count < limit; count += 1) assertTooMany(await fail(id, from, form), form);
    });

  it('[C104] [C100] the right secret still gets 200, from the limited address and another', async () => {
    await exhaust(client.id, '127.0.2.1');
    assertTooMany(await fail(client.id, '127.0.2.1'));
    for (let count = 0; count < limit; count += 1) {
      await succeed('127.0.2.1');
      await succeed('127.0.0.2');
    }
    assertTooMany(await fail(client.id, '127.0.2.1'));
  });

  it('[C100] guesses at one client from many addresses are counted together', async () => {
    for (let count = 0; count < limit; count += 1)
      assert.equal((await fail('hunted', `127.0.3.${count + 1}`)).status, 401);
    for (const from of ['127.0.3.1', '127.0.3.200']) assertTooMany(await fail('hunted', from));
    assert.equal((await fail('another', '127.0.3.200')).status, 401);
  });

  it('[C100] guesses at many clients from one address are counted together', async () => {
    for (let count = 0; count < limit; count += 1)
      assert.equal((await fail(`sprayed-${count}`, '127.0.4.1')).status, 401);
    assertTooMany(await fail('sprayed-new', '127.0.4.1'));
    await succeed('127.0.4.1');
    assert.equal((await fail('sprayed-0', '127.0.4.2')).status, 401);
  });

  it('[C100] guesses are counted together across credential formats', async () => {
    const forms = [...credentialForms, ...credentialForms].slice(0, limit);
    for (const form of forms) assert.equal((await fail('mixed', '127.0.5.1', form)).status, 401);
    for (const form of credentialForms) assertTooMany(await fail('mixed', '127.0.5.2', form), form);
  });

  it('[C100] successes and requests without credentials are not counted as failures', async () => {
    const from = '127.0.6.1';
    for (let count = 0; count <= limit; count += 1) {
      await succeed(from);
      const none = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      const reply = await request(`${pair().service.url}/token`, { ...none, localAddress: from });
      assert.equal(reply.status, 400);
    }
    await exhaust('forgetful', from);
    assertTooMany(await fail('forgetful', from));
  });

  it('[C100] the limit ends after Retry-After, not earlier, and ignores the wall clock', async () => {
    await exhaust('patient', '127.0.7.1');
    const reply = await fail('patient', '127.0.7.1');
    assertTooMany(reply);
    await pair().service.stepWallClock(3_600_000);
    assertTooMany(await fail('patient', '127.0.7.1'));
    await pair().service.stepWallClock(-3_600_000);
    await pair().advance((Number(reply.headers.get('retry-after')) - 30) * 1_000);
    const later = await fail('patient', '127.0.7.1');
    assertTooMany(later);
    await pair().advance(Number(later.headers.get('retry-after')) * 1_000);
    await exhaust('patient', '127.0.7.1');
    assertTooMany(await fail('patient', '127.0.7.1'));
  });

  it('[C101] forwarding headers of an untrusted peer do not change the counted address', async () => {
    const claims = (count: number) => ({
      'x-forwarded-for': `192.0.2.${count}`,
      forwarded: `for=192.0.2.${count}`,
      'x-real-ip': `192.0.2.${count}`,
    });
    const claim = (count: number) =>
      attempt(pair(), wrong(`claimed-${count}`), { from: '127.0.8.1', headers: claims(count) });
    for (let count = 0; count < limit; count += 1) assert.equal((await claim(count)).status, 401);
    for (let count = limit; count < 2 * limit; count += 1) assertTooMany(await claim(count));
    assert.equal((await fail('claimed-new', '127.0.8.2')).status, 401);
  });
});

describe('failure limit behind a trusted proxy', () => {
  const pair = deployment({
    settings: { ...settings, TRUSTED_PROXIES: '127.0.0.1' },
    prepare,
    hasKeys: true,
  });
  const through = (forwardedFor: string, credentials: Credentials, form?: CredentialForm) => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': forwardedFor };
    return attempt(pair(), credentials, { from: '127.0.0.1', headers, ...(form && { form }) });
  };

  it('[C101] failures are counted by the address that the proxy forwards', async () => {
    for (let count = 0; count < limit; count += 1)
      assert.equal((await through('192.0.2.1', wrong(`one-${count}`))).status, 401);
    for (const form of credentialForms) assertTooMany(await through('192.0.2.1', wrong('one'), form), form);
    assert.equal((await through('192.0.2.2', wrong('two'))).status, 401);
    assert.equal((await through('192.0.2.1', client)).status, 200);
  });
});
