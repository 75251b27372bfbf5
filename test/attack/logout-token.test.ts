import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertNoEcho, assertRefused } from '../support/http/refusals.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, type Service } from '../support/services/service.ts';
import { assertOAuthError, encodeForm, formType } from '../support/tokens/oauth-form.ts';
import { type Claims, makeKey, type ProviderKey, type TestProvider } from '../support/tokens/provider.ts';
import {
  canarySession,
  extension,
  logoutToken,
  sign,
  webClient,
} from '../support/tokens/provider-documents.ts';

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const nowSeconds = () => Math.floor(Date.now() / 1000);

let provider: TestProvider;
let service: Service;
let ownToken: string;
const running = deployment({
  settings: { WEB_CLIENT_ID: webClient, REFUSALS_PER_MINUTE: '1000000' },
});
before(async () => {
  ({ provider, service } = running());
  ownToken = (await running().machine('machine')).token;
});

function post(body: string | Uint8Array, contentType = formType): Promise<Reply> {
  const headers = { 'content-type': contentType };
  return request(`${service.url}/idp/logout`, { method: 'POST', headers, body: Buffer.from(body) });
}
const send = (token: string) => post(encodeForm({ logout_token: token }));
const noted = async () =>
  Number((await plainSql(service.settings).query('select count(*) as n from revocations'))[0]?.n);
const asks = (token: string) => withToken(service.url + me, token);

async function taken(token: string): Promise<void> {
  const reply = await send(token);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.text, '');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
}

async function becomesRevoked(token: string): Promise<void> {
  const reply = await until(
    () => asks(token),
    ({ status }) => status === 403,
    'a token that was taken back is let in',
  );
  assertRefused(reply, 'token_revoked', token);
}

/** The fault of a token; everything else is right. */
const faults: Record<string, () => Promise<string>> = {
  'not a JWT': async () => 'session-snufflepuffin',
  'two parts': async () => (await logoutToken(provider)).split('.').slice(0, 2).join('.'),
  'no signature': async () => `${(await logoutToken(provider)).split('.').slice(0, 2).join('.')}.`,
  'a payload that was changed': async () => {
    const [header, , signature] = (await logoutToken(provider)).split('.');
    const [, other] = (await logoutToken(provider, { sub: 'somebody else' })).split('.');
    return [header, other, signature].join('.');
  },
  'the algorithm none': async () => {
    const [, payload] = (await logoutToken(provider)).split('.');
    const header = Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url');
    return `${header}.${payload}.AAAA`;
  },
  'an algorithm that is not allowed': () => logoutToken(provider, {}, { alg: 'PS256' }),
  'an unpublished key': async () => logoutToken(provider, {}, {}, await makeKey()),
  'another key with the right kid': async () => {
    const other: ProviderKey = { ...(await makeKey()), kid: provider.key.kid };
    return logoutToken(provider, {}, {}, other);
  },
  'a crit extension': () => logoutToken(provider, {}, { crit: [extension], [extension]: 1 }),
  'another issuer': () => logoutToken(provider, { iss: 'https://other.example' }),
  'no issuer': () => logoutToken(provider, { iss: undefined }),
  'this service as the issuer': () => logoutToken(provider, { iss: service.settings.BASE_URL }),
  'another audience': () => logoutToken(provider, { aud: 'another-client' }),
  'the audience of the API': () => logoutToken(provider, { aud: service.settings.API_AUDIENCE }),
  'no audience': () => logoutToken(provider, { aud: undefined }),
  'an audience with a number': () => logoutToken(provider, { aud: [webClient, 1] }),
  'the typ of an access token': () => logoutToken(provider, {}, { typ: 'at+jwt' }),
  'the typ of a security event': () => logoutToken(provider, {}, { typ: 'secevent+jwt' }),
  'no iat': () => logoutToken(provider, { iat: undefined }),
  'an iat that is a string': () => logoutToken(provider, { iat: String(nowSeconds()) }),
  'an iat in the future': () => logoutToken(provider, { iat: nowSeconds() + 60 }),
  'an iat long ago': () => logoutToken(provider, { iat: nowSeconds() - 400 }),
  'no exp': () => logoutToken(provider, { exp: undefined }),
  'an exp in the past': () => logoutToken(provider, { iat: nowSeconds() - 60, exp: nowSeconds() - 30 }),
  'an nbf in the future': () => logoutToken(provider, { nbf: nowSeconds() + 60 }),
  'an nbf that is a string': () => logoutToken(provider, { nbf: String(nowSeconds()) }),
  'no jti': () => logoutToken(provider, { jti: undefined }),
  'an empty jti': () => logoutToken(provider, { jti: '' }),
  'a jti that is a number': () => logoutToken(provider, { jti: 7 }),
  'no events': () => logoutToken(provider, { events: undefined }),
  'events that are a list': () => logoutToken(provider, { events: [logoutEvent] }),
  'another event': () => logoutToken(provider, { events: { 'https://event.example': {} } }),
  'an event that is not an object': () => logoutToken(provider, { events: { [logoutEvent]: null } }),
  'a nonce': () => logoutToken(provider, { nonce: 'n' }),
  'a nonce that is null': () => logoutToken(provider, { nonce: null }),
  'neither subject nor session': () => logoutToken(provider, { sub: undefined }),
  'a subject that is not a string': () => logoutToken(provider, { sub: 7, sid: 'x' }),
  'an empty subject': () => logoutToken(provider, { sub: '', sid: 'x' }),
  'a subject with NUL': () => logoutToken(provider, { sub: 'a\0b' }),
  'an empty session': () => logoutToken(provider, { sub: undefined, sid: '' }),
  'a session that is a number': () => logoutToken(provider, { sub: undefined, sid: 7 }),
  'more than 8 KiB': () => logoutToken(provider, { more: 'x'.repeat(9000) }),
  'the access token of the caller': () => provider.token({ aud: [webClient, service.settings.API_AUDIENCE] }),
  'an ID token': () =>
    sign({ ...provider.claims({ aud: webClient }), nonce: 'n' }, { typ: 'JWT' }, provider.key),
  'a token of this service': async () => ownToken,
};

describe('a logout token with one fault is refused and revokes nothing', () => {
  for (const [fault, make] of Object.entries(faults))
    it(fault, async () => {
      const before = await noted();
      const token = await make();
      const reply = await send(token);
      assertOAuthError(reply, 400, 'invalid_request', fault);
      assertNoEcho(reply, token);
      assert.equal(await noted(), before);
    });

  const forms: Record<string, () => Promise<Reply>> = {
    'no body': () => request(`${service.url}/idp/logout`, { method: 'POST' }),
    'an empty form': () => post(''),
    'a field of another name': async () => post(encodeForm({ token: await logoutToken(provider) })),
    'the field twice': async () => {
      const token = await logoutToken(provider);
      return post(`logout_token=${token}&logout_token=${token}`);
    },
    'as JSON': async () =>
      post(JSON.stringify({ logout_token: await logoutToken(provider) }), 'application/json'),
    'as the token itself': async () => post(await logoutToken(provider), 'application/logout+jwt'),
    'invalid percent-encoding': () => post('logout_token=%zz'),
    'bytes that are not UTF-8': () => post(Buffer.from([0x6c, 0xff, 0xfe])),
  };
  for (const [form, sendIt] of Object.entries(forms))
    it(`in a malformed request: ${form}`, async () => {
      const before = await noted();
      assertOAuthError(await sendIt(), 400, 'invalid_request', form);
      assert.equal(await noted(), before);
    });

  it('afterwards the token of its subject is still accepted', async () => {
    assert.equal((await asks(await provider.token({ iat: nowSeconds() - 60 }))).status, 200);
  });

  it('replayed', async () => {
    const token = await logoutToken(provider, { sub: 'sent twice' });
    await taken(token);
    const before = await noted();
    for (let again = 0; again < 3; again += 1)
      assertOAuthError(await send(token), 400, 'invalid_request', 'replayed');
    assert.equal(await noted(), before);
    const other = await logoutToken(provider, { sub: 'sent twice' });
    await taken(other);
  });
});

describe('a valid logout token', () => {
  /** A new caller, with a token that was issued 30 seconds ago. */
  const someone = async (sub: string, claims: Claims = {}) => {
    const token = await provider.token({ sub, iat: nowSeconds() - 30, ...claims });
    assert.equal((await asks(token)).status, 200);
    return token;
  };

  /** Made when they are sent: the times in them are of that moment. */
  const forms: Record<string, () => [Claims, Claims]> = {
    'as the specification writes it': () => [{}, {}],
    'with the full media type as typ': () => [{}, { typ: 'application/logout+jwt' }],
    'with the type JWT': () => [{}, { typ: 'JWT' }],
    'without a type': () => [{}, { typ: undefined }],
    'with times in fractions of a second': () => [
      { iat: nowSeconds() - 0.7654321, exp: nowSeconds() + 60.1234567 },
      {},
    ],
    'with a beginning that is now': () => [{ nbf: nowSeconds() }, {}],
    'for several clients': () => [{ aud: ['another-client', webClient] }, {}],
    'with further claims and events': () => [
      { more: 1, events: { [logoutEvent]: { reason: 'x' }, 'https://event.example': {} } },
      {},
    ],
  };
  for (const [form, made] of Object.entries(forms))
    it(`revokes all tokens of its subject: ${form}`, async () => {
      const [claims, header] = made();
      const sub = randomUUID();
      const tokens = [
        await someone(sub),
        await someone(sub, { sid: canarySession }),
        await provider.token({ sub, iat: undefined }),
      ];
      const bystander = await someone(`${sub} too`);
      await taken(await logoutToken(provider, { sub, ...claims }, header));
      for (const token of tokens) await becomesRevoked(token);
      assert.equal((await asks(bystander)).status, 200);
    });

  it('with a session revokes its tokens and those without a session, and no others', async () => {
    const sub = randomUUID();
    const [ended, other] = [await someone(sub, { sid: canarySession }), await someone(sub, { sid: 'other' })];
    const unnamed = await someone(sub);
    const strange = await someone(randomUUID(), { sid: 'other' });
    await taken(await logoutToken(provider, { sub, sid: canarySession }));
    for (const token of [ended, unnamed]) await becomesRevoked(token);
    for (const token of [other, strange]) assert.equal((await asks(token)).status, 200);
  });

  const sessions: Record<string, unknown> = {
    'a number': 7,
    empty: '',
    'of more than 512 characters': 'x'.repeat(600),
    'a text with NUL': 'a\0b',
  };
  for (const [form, sid] of Object.entries(sessions))
    it(`revokes the tokens of its session, also where that is ${form}`, async () => {
      const sub = randomUUID();
      const tokens = [await someone(sub, { sid }), await someone(sub)];
      await taken(await logoutToken(provider, { sub, sid }));
      for (const token of tokens) await becomesRevoked(token);
    });

  it('revokes tokens of a very long subject', async () => {
    const sub = randomUUID().padEnd(4_000, 'x');
    const token = await someone(sub);
    await taken(await logoutToken(provider, { sub }));
    await becomesRevoked(token);
  });

  it('with only a session revokes the tokens of that session', async () => {
    const [sid, sub] = [randomUUID(), randomUUID()];
    const [ended, unnamed] = [await someone(sub, { sid }), await someone(sub)];
    await taken(await logoutToken(provider, { sub: undefined, sid }));
    await becomesRevoked(ended);
    assert.equal((await asks(unnamed)).status, 200, 'nobody knows that it is of that session');
  });

  it('refuses tokens up to and including the second of its iat, and no later ones', async () => {
    const [sub, at] = [randomUUID(), nowSeconds() - 10];
    const [earlier, same, later] = await Promise.all(
      [at - 1, at, at + 1].map((iat) => provider.token({ sub, iat })),
    );
    await taken(await logoutToken(provider, { sub, iat: at }));
    await becomesRevoked(String(earlier));
    assertRefused(await asks(String(same)), 'token_revoked', String(same));
    assert.equal((await asks(String(later))).status, 200);
  });

  it('that is older does not undo a later one', async () => {
    const [sub, at] = [randomUUID(), nowSeconds() - 10];
    const token = await provider.token({ sub, iat: at });
    await taken(await logoutToken(provider, { sub, iat: at }));
    await taken(await logoutToken(provider, { sub, iat: at - 60 }));
    await becomesRevoked(token);
  });

  it('still refuses tokens from before it after the caller was erased', async () => {
    const [sub, at] = [randomUUID(), nowSeconds() - 10];
    const [before, later] = [
      await provider.token({ sub, iat: at }),
      await provider.token({ sub, iat: at + 1 }),
    ];
    await taken(await logoutToken(provider, { sub, iat: at }));
    await becomesRevoked(before);
    assert.equal((await asks(later)).status, 200);
    const erased = await request(service.url + me, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${later}` },
    });
    assert.equal(Math.floor(erased.status / 100), 2, erased.text);
    assertRefused(await asks(before), 'token_revoked', before);
  });
});

describe('a flood of unsigned logout tokens', () => {
  const flooded = deployment({ settings: { WEB_CLIENT_ID: webClient, REFUSALS_PER_MINUTE: '50' } });

  it('causes no requests to the provider, is rate limited, and delays no real logout or caller', async () => {
    const { provider, service } = flooded();
    const sub = randomUUID();
    const [token, bystander] = [await provider.token({ sub }), await provider.token({ sub: 'not meant' })];
    for (const one of [token, bystander]) assert.equal((await withToken(service.url + me, one)).status, 200);
    const before = provider.fetches;
    const strange = await makeKey();
    const sendTo = (logout: string) =>
      request(`${service.url}/idp/logout`, {
        method: 'POST',
        headers: { 'content-type': formType },
        body: encodeForm({ logout_token: logout }),
      });
    const bad = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        logoutToken(provider, { sub }, {}, { ...strange, kid: `invented-${index}` }),
      ),
    );
    const counted = async (documents: readonly string[]) => {
      const statuses = new Map<number, number>();
      for (let round = 0; round < 10; round += 1)
        for (const { status } of await Promise.all(documents.map(sendTo)))
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return statuses;
    };
    const invented = await counted(bad);
    assert.deepEqual([...invented.keys()].sort(), [400, 503], 'one is looked for, the others are put off');
    assert.ok(Number(invented.get(503)) >= 190, `${invented.get(503)} of 200 were put off`);
    const damaged = await counted(bad.map((one) => `${one}x`));
    assert.deepEqual([...damaged.keys()].sort(), [400, 429]);
    assert.equal(Number(damaged.get(400)) + Number(invented.get(400)), 50);
    assert.ok(provider.fetches - before <= 1, `the keys were fetched ${provider.fetches - before} times`);
    assert.equal((await withToken(service.url + me, bystander)).status, 200);
    assert.equal((await sendTo(await logoutToken(provider, { sub }))).status, 200);
    await until(
      () => withToken(service.url + me, token),
      ({ status }) => status === 403 || status === 429,
      'the logout does not count',
    );
  });
});
