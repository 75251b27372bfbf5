import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { answerWith } from '../support/hostile-answers.ts';
import { newDirectory } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { until } from '../support/polling.ts';
import { type Claims, makeKey, TestProvider } from '../support/provider.ts';
import { caep, logoutToken, receiver, risc, securityEvent } from '../support/provider-documents.ts';
import { assertNoEcho, assertRefused } from '../support/refusals.ts';
import { type Reply, request, withToken } from '../support/request.ts';
import {
  me,
  newSettings,
  quickSigning,
  type Service,
  type Settings,
  startService,
} from '../support/service.ts';
import { Transmitter } from '../support/transmitter.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);
const eventType = 'application/secevent+jwt';

/** A provider in a list of its own, that tells of security events. */
async function settingsFor(provider: TestProvider, more = ''): Promise<Settings> {
  const file = `${newDirectory()}/providers.yaml`;
  writeFileSync(
    file,
    `- name: main\n  origin: ${provider.origin}\n  jwks_path: /jwks\n  events_audience: ${receiver}\n${more}`,
  );
  return newSettings('sqlite', { ...quickSigning, IDPS_FILE: file, REFUSALS_PER_MINUTE: '1000000' });
}

async function becomesRevoked(service: Service, token: string): Promise<void> {
  const reply = await until(
    () => withToken(service.url + me, token),
    ({ status }) => status === 403,
    'a token that was taken back is let in',
  );
  assertRefused(reply, 'token_revoked', token);
}

describe('security events that are sent here (RFC 8935)', () => {
  let provider: TestProvider;
  let service: Service;
  before(async () => {
    provider = await TestProvider.start();
    service = await startService(await settingsFor(provider));
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  const send = (body: string, contentType = eventType): Promise<Reply> =>
    request(`${service.url}/idp/events`, { method: 'POST', headers: { 'content-type': contentType }, body });
  const noted = async () =>
    Number((await plainSql(service.settings).query('select count(*) as n from revocations'))[0]?.n);
  const taken = async (token: string) => {
    const reply = await send(token);
    assert.equal(reply.status, 202, reply.text);
    assert.equal(reply.text, '');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  };
  const asks = (token: string) => withToken(service.url + me, token);
  const issued = (sub: string, claims: Claims = {}) =>
    provider.token({ sub, iat: nowSeconds() - 30, ...claims });
  const about = (sub: string) => ({ sub_id: { format: 'iss_sub', iss: provider.origin, sub } });

  /** What is wrong with it, and the word of RFC 8935 for that. */
  const faults: Record<string, readonly [string, () => Promise<string>]> = {
    'no JWT': ['invalid_request', async () => 'session-snufflepuffin'],
    'a payload that was changed': [
      'invalid_key',
      async () => {
        const [header, , signature] = (await securityEvent(provider)).split('.');
        const [, other] = (await securityEvent(provider, about('somebody else'))).split('.');
        return [header, other, signature].join('.');
      },
    ],
    'an algorithm that is not allowed': ['invalid_key', () => securityEvent(provider, {}, { alg: 'PS256' })],
    'a key that nobody has published': [
      'invalid_key',
      async () => securityEvent(provider, {}, {}, await makeKey()),
    ],
    'another issuer': ['invalid_issuer', () => securityEvent(provider, { iss: 'https://other.example' })],
    'no issuer': ['invalid_issuer', () => securityEvent(provider, { iss: undefined })],
    'another audience': ['invalid_audience', () => securityEvent(provider, { aud: 'https://other.example' })],
    'the audience of the API': [
      'invalid_audience',
      () => securityEvent(provider, { aud: service.settings.API_AUDIENCE }),
    ],
    'no audience': ['invalid_audience', () => securityEvent(provider, { aud: undefined })],
    'no type': ['invalid_request', () => securityEvent(provider, {}, { typ: undefined })],
    'the type of a logout token': [
      'invalid_request',
      () => securityEvent(provider, {}, { typ: 'logout+jwt' }),
    ],
    'no id': ['invalid_request', () => securityEvent(provider, { jti: undefined })],
    'no time of issue': ['invalid_request', () => securityEvent(provider, { iat: undefined })],
    'a time of issue to come': ['invalid_request', () => securityEvent(provider, { iat: nowSeconds() + 60 })],
    'a beginning to come': ['invalid_request', () => securityEvent(provider, { nbf: nowSeconds() + 60 })],
    'a beginning that is null': ['invalid_request', () => securityEvent(provider, { nbf: null })],
    'no events': ['invalid_request', () => securityEvent(provider, { events: undefined })],
    'an empty list of events': ['invalid_request', () => securityEvent(provider, { events: {} })],
    'an event that is no object': [
      'invalid_request',
      () => securityEvent(provider, { events: { [`${caep}/session-revoked`]: 'yes' } }),
    ],
    'more than 8 KiB': ['invalid_request', () => securityEvent(provider, { more: 'x'.repeat(9000) })],
    'an access token': ['invalid_request', () => provider.token({ aud: receiver })],
    'a logout token': ['invalid_request', () => logoutToken(provider, { aud: receiver })],
  };
  for (const [fault, [err, make]] of Object.entries(faults)) {
    it(`with one fault is refused, and takes nothing back: ${fault}`, async () => {
      const before = await noted();
      const token = await make();
      const reply = await send(token);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.headers.get('content-type'), 'application/json');
      assert.deepEqual(Object.keys(reply.json()), ['err', 'description']);
      assert.equal(reply.json().err, err);
      // All but its header, whose type the answer asks for.
      assertNoEcho(reply, token.slice(token.indexOf('.') + 1));
      assert.equal(await noted(), before);
    });
  }

  it('with another content type is refused', async () => {
    for (const type of ['application/jwt', 'application/json', 'application/x-www-form-urlencoded']) {
      const reply = await send(await securityEvent(provider), type);
      assert.deepEqual([reply.status, reply.json().err], [400, 'invalid_request']);
    }
    assert.equal((await request(`${service.url}/idp/events`, { method: 'POST' })).status, 400);
  });

  const ending: Record<string, (sub: string) => Claims> = {
    'a session was revoked': about,
    'at a time in fractions of a second': (sub) => ({
      ...about(sub),
      iat: nowSeconds() - 0.7654321,
      events: { [`${caep}/session-revoked`]: { event_timestamp: nowSeconds() - 1.1234567 } },
    }),
    'a credential was changed': (sub) => ({
      ...about(sub),
      events: { [`${caep}/credential-change`]: { change_type: 'update', credential_type: 'password' } },
    }),
    'all sessions were revoked (RISC)': (sub) => ({
      sub_id: undefined,
      events: {
        [`${risc}/sessions-revoked`]: {
          subject: { subject_type: 'iss-sub', iss: provider.origin, sub },
        },
      },
    }),
    'an account was disabled (RISC)': (sub) => ({
      sub_id: undefined,
      events: {
        [`${risc}/account-disabled`]: {
          subject: { format: 'iss_sub', iss: provider.origin, sub },
          reason: 'hijacking',
        },
      },
    }),
    'a session of a user in a complex subject': (sub) => ({
      sub_id: {
        format: 'complex',
        user: { format: 'iss_sub', iss: provider.origin, sub },
        session: { format: 'opaque', id: 'dMTlD|1600802906337.16|16008.16' },
      },
    }),
  };
  for (const [event, claims] of Object.entries(ending)) {
    it(`takes all tokens of the user back: ${event}`, async () => {
      const sub = randomUUID();
      const tokens = [await issued(sub), await issued(sub, { sid: 'any' })];
      const bystander = await issued(`${sub} too`);
      for (const token of [...tokens, bystander]) assert.equal((await asks(token)).status, 200);
      await taken(await securityEvent(provider, claims(sub)));
      for (const token of tokens) await becomesRevoked(service, token);
      assert.equal((await asks(bystander)).status, 200);
    });
  }

  it('takes the tokens of a user back whose name is long', async () => {
    const sub = randomUUID().padEnd(4_000, 'x');
    const token = await issued(sub);
    assert.equal((await asks(token)).status, 200);
    await taken(await securityEvent(provider, about(sub)));
    await becomesRevoked(service, token);
  });

  const ignored: Record<string, (sub: string) => Claims> = {
    'an event that is not known': (sub) => ({ ...about(sub), events: { 'https://event.example': {} } }),
    'a credential that was added': (sub) => ({
      ...about(sub),
      events: { [`${caep}/credential-change`]: { change_type: 'create' } },
    }),
    'a test of the stream': () => ({
      sub_id: { format: 'opaque', id: 'stream' },
      events: { 'https://schemas.openid.net/secevent/ssf/event-type/verification': { state: 'x' } },
    }),
    'a subject of another provider': (sub) => ({
      sub_id: { format: 'iss_sub', iss: 'https://other.example', sub },
    }),
    'a subject by its address': () => ({ sub_id: { format: 'email', email: 'a@people.example' } }),
    'no subject': () => ({ sub_id: undefined }),
  };
  for (const [event, claims] of Object.entries(ignored)) {
    it(`is acknowledged and changes nothing: ${event}`, async () => {
      const [sub, before] = [randomUUID(), await noted()];
      await taken(await securityEvent(provider, claims(sub)));
      assert.equal(await noted(), before);
      assert.equal((await asks(await issued(sub))).status, 200);
    });
  }

  it('counts by the time of the event, and not by when it was told', async () => {
    const [sub, at] = [randomUUID(), nowSeconds() - 100];
    const [same, later] = [await issued(sub, { iat: at }), await issued(sub, { iat: at + 1 })];
    const events = { [`${caep}/session-revoked`]: { event_timestamp: at } };
    await taken(await securityEvent(provider, { ...about(sub), events }));
    await becomesRevoked(service, same);
    assert.equal((await asks(later)).status, 200);
  });

  it('that comes twice is acknowledged twice, and noted once', async () => {
    const token = await securityEvent(provider, about(randomUUID()));
    await taken(token);
    const before = await plainSql(service.settings).query('select max(seq) as last from revocations');
    await taken(token);
    assert.deepEqual(
      await plainSql(service.settings).query('select max(seq) as last from revocations'),
      before,
    );
  });
});

describe('security events that are asked for (RFC 8936)', () => {
  let provider: TestProvider;
  let service: Service;
  let transmitter: Transmitter;
  before(async () => {
    provider = await TestProvider.start();
    transmitter = await Transmitter.start();
    const tokenFile = `${newDirectory()}/token`;
    writeFileSync(tokenFile, 'token-of-the-stream\n');
    const poll = `  events_poll_url: ${transmitter.url}\n  events_token_file: ${tokenFile}\n`;
    service = await startService(await settingsFor(provider, poll));
  });
  after(async () => {
    await service.stop();
    await provider.stop();
    transmitter.stop();
  });

  it('take tokens back, are acknowledged, and the others are sent back with what is wrong', async () => {
    const sub = randomUUID();
    const token = await provider.token({ sub, iat: nowSeconds() - 30 });
    assert.equal((await withToken(service.url + me, token)).status, 200);
    const subject = { sub_id: { format: 'iss_sub', iss: provider.origin, sub } };
    transmitter.waiting.set('good', await securityEvent(provider, subject));
    transmitter.waiting.set('bad', await securityEvent(provider, { aud: 'https://other.example' }));
    await becomesRevoked(service, token);
    await until(
      () => transmitter.waiting.size,
      (size) => size === 0,
      'the events are not acknowledged',
    );
    assert.deepEqual(transmitter.acknowledged, ['good']);
    assert.deepEqual([...transmitter.faults], [['bad', 'invalid_audience']]);
    for (const { authorization, body } of transmitter.polls) {
      assert.equal(authorization, 'Bearer token-of-the-stream');
      assert.deepEqual([body.returnImmediately, body.maxEvents], [true, 50]);
    }
  });

  it('are asked for less often while that fails, and log and metrics say so', async () => {
    transmitter.answer = answerWith(500);
    const line = await until(
      () => service.logLines().find(({ msg }) => msg === 'security events not fetched'),
      (found) => found !== undefined,
      'nothing is said',
    );
    assert.equal(line?.retry_in_seconds, 10);
    assert.equal(line?.provider, 'main');
    assert.ok(!JSON.stringify(line).includes('token-of-the-stream'));
    const metrics = await service.metrics();
    const polls = 'vestibule_security_event_polls_total\\{provider="main",result=';
    assert.match(metrics, new RegExp(`^${polls}"ok"\\} [1-9]`, 'm'));
    assert.match(metrics, new RegExp(`^${polls}"status"\\} 1$`, 'm'));
    transmitter.answer = null;
  });
});
