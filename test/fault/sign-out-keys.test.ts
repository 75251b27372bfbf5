import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { mostAtOnce } from '../../src/consumer/sign-out/event-poll.ts';
import { assertProblem } from '../support/answers.ts';
import { answerText, answerWith } from '../support/hostile-answers.ts';
import { encodeForm, formType } from '../support/oauth-form.ts';
import { until } from '../support/polling.ts';
import { type Answer, type Claims, makeKey, type ProviderKey, TestProvider } from '../support/provider.ts';
import { logoutToken, receiver, securityEvent, webClient } from '../support/provider-documents.ts';
import { assertRefused } from '../support/refusals.ts';
import { type Reply, request, withToken } from '../support/request.ts';
import { type ClockedService, me, newSettings, quickSigning, startService } from '../support/service.ts';
import { Transmitter } from '../support/transmitter.ts';

/** A provider that tells in every way who has signed out, and that is about to use another key. */
let provider: TestProvider;
let transmitter: Transmitter;
let service: ClockedService;
/** The token that is sent with every question for events stands here. */
let tokenFile: string;
before(async () => {
  provider = await TestProvider.start();
  transmitter = await Transmitter.start();
  const settings = await newSettings('sqlite', { ...quickSigning, REFUSALS_PER_MINUTE: '1000000' });
  const IDPS_FILE = `${settings.TEST_DIRECTORY}/providers.yaml`;
  tokenFile = `${settings.TEST_DIRECTORY}/stream`;
  writeFileSync(tokenFile, 'token-of-the-stream');
  const entry = [
    'name: main',
    `origin: ${provider.origin}`,
    'jwks_path: /jwks',
    `logout_audience: ${webClient}`,
    `events_audience: ${receiver}`,
    `events_poll_url: ${transmitter.url}`,
    `events_token_file: ${tokenFile}`,
  ];
  writeFileSync(IDPS_FILE, `- ${entry.join('\n  ')}\n`);
  service = await startService({ ...settings, IDPS_FILE }, { clocked: true });
});
after(async () => {
  await service.stop();
  await provider.stop();
  transmitter.stop();
});

const asks = (token: string) => withToken(service.url + me, token);
async function advance(milliseconds: number): Promise<void> {
  provider.aheadMs += milliseconds;
  await service.advance(milliseconds);
}
/** Asks for a key that nobody has, so that for half a minute no further one is asked for. */
async function useUpTheGuard(): Promise<void> {
  const token = await provider.token({}, { kid: randomUUID() });
  const before = provider.fetches;
  assertRefused(await asks(token), 'key_unknown', token);
  assert.equal(provider.fetches, before + 1, 'control: the provider was asked');
}
/** What was left to be looked for is looked for, the half minute after it is over, and the last fetch went well. */
async function calm(): Promise<void> {
  provider.answer = null;
  for (let passed = 0; passed < 3; passed += 1) {
    await advance(61_000);
    await until(
      async () => (await asks(await provider.token())).status,
      (status) => status === 200,
      'the keys are not there',
    );
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

/** A document of one kind about somebody, and how it is sent here. */
interface Told {
  readonly name: string;
  readonly make: (sub: string, key: ProviderKey, claims?: Claims) => Promise<string>;
  readonly send: (document: string) => Promise<Reply>;
  readonly taken: number;
}
const told: readonly Told[] = [
  {
    name: 'a logout token',
    make: (sub, key, claims) => logoutToken(provider, { sub, ...claims }, {}, key),
    send: (document) => post('/idp/logout', formType, encodeForm({ logout_token: document })),
    taken: 200,
  },
  {
    name: 'a security event',
    make: (sub, key, claims) => {
      const subject = { sub_id: { format: 'iss_sub', iss: provider.origin, sub } };
      return securityEvent(provider, { ...subject, ...claims }, {}, key);
    },
    send: (document) => post('/idp/events', 'application/secevent+jwt', document),
    taken: 202,
  },
];
const post = (path: string, contentType: string, body: string) =>
  request(`${service.url}${path}`, { method: 'POST', headers: { 'content-type': contentType }, body });

for (const { name, make, send, taken } of told) {
  describe(`${name} with a key that is not known yet`, () => {
    beforeEach(calm);

    const someone = async () => {
      const sub = randomUUID();
      const token = await provider.token({ sub });
      assert.equal((await asks(token)).status, 200);
      return { sub, token };
    };
    const isSignedOut = async (token: string) => {
      const reply = await until(
        () => asks(token),
        ({ status }) => status === 403,
        'whoever has signed out is let in',
      );
      assertRefused(reply, 'token_revoked', token);
    };

    it('is taken at once where the provider may be asked', async () => {
      const { sub, token } = await someone();
      const reply = await send(await make(sub, await newKey()));
      assert.equal(reply.status, taken, reply.text);
      await isSignedOut(token);
    });

    it('is put off while the provider may not be asked, and taken when it comes again', async () => {
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
      assert.equal(reply.status, taken, reply.text);
      assert.equal(provider.fetches, before + 1);
      await isSignedOut(token);
    });

    it('is put off while the keys cannot be fetched, and taken when they can again', async () => {
      const { sub, token } = await someone();
      provider.answer = answerWith(500);
      await useUpTheGuardInVain();
      const key = await newKey();
      const document = await make(sub, key);
      const seconds = assertPutOff(await send(document), 60);
      provider.answer = null;
      await advance(seconds * 1000);
      const reply = await send(document);
      assert.equal(reply.status, taken, reply.text);
      await isSignedOut(token);
    });

    it('is refused for good once the keys were fetched after it came, and it is still not among them', async () => {
      await useUpTheGuard();
      const strange = await makeKey();
      const early = await make('somebody', strange);
      const seconds = assertPutOff(await send(early), 30);
      await advance(seconds * 1000);
      for (let again = 0; again < 2; again += 1) assert.equal((await send(early)).status, 400);
      // This one came after that fetch: the key may have been published meanwhile.
      const later = await make('somebody', strange);
      assertPutOff(await send(later), 60);
      provider.keys.push(strange);
      for (let passed = 0; passed < 2; passed += 1) await advance(60_000);
      assert.equal((await send(await make('somebody', strange))).status, taken);
      assert.equal((await send(later)).status, taken);
    });

    it('is refused at once where nothing else about it is right', async () => {
      await useUpTheGuard();
      const reply = await send(await make('somebody', await makeKey(), { aud: 'nobody' }));
      assert.equal(reply.status, 400, reply.text);
    });

    it('is put off many at a time without a request to the provider, and one with a known key is not held up', async () => {
      const { sub, token } = await someone();
      await useUpTheGuard();
      const before = provider.fetches;
      const strange = await makeKey();
      const invented = await Promise.all(
        Array.from({ length: 100 }, (_, index) => make(sub, { ...strange, kid: `invented ${index}` })),
      );
      for (const reply of await Promise.all(invented.map(send))) assertPutOff(reply, 30);
      assert.equal((await send(await make(sub, provider.key))).status, taken);
      await isSignedOut(token);
      assert.equal(provider.fetches, before);
    });
  });
}

/** The provider fails, and that was found out on behalf of a token. */
async function useUpTheGuardInVain(): Promise<void> {
  const token = await provider.token({}, { kid: randomUUID() });
  assertRefused(await asks(token), 'key_unknown', token);
}

describe('a security event that was asked for, with a key that is not known yet', () => {
  beforeEach(calm);
  const eventFor = (key: ProviderKey, claims: Claims = {}) => securityEvent(provider, claims, {}, key);
  const comesTo = (what: () => unknown, message: string) =>
    until(
      async () => {
        await advance(5_000);
        return what();
      },
      (reached) => reached === true,
      message,
    );

  it("comes again until its key is known, or known to be nobody's, and holds up no other", async () => {
    await useUpTheGuard();
    const before = provider.fetches;
    const key = await newKey();
    transmitter.waiting.set('rotated', await eventFor(key));
    transmitter.waiting.set('invented', await eventFor(await makeKey()));
    transmitter.waiting.set('known', await eventFor(provider.key));
    const polls = transmitter.polls.length;
    await advance(5_000);
    await until(
      () => transmitter.acknowledged.includes('known') && transmitter.polls.length >= polls + 2,
      (isAcknowledged) => isAcknowledged,
      'an event waits for others',
    );
    assert.equal(provider.fetches, before, 'control: the provider was not asked yet');
    assert.deepEqual([...transmitter.waiting.keys()], ['rotated', 'invented']);
    assert.ok(
      service.logLines().some(({ msg }) => msg === 'security events left until their keys are known'),
    );
    await comesTo(() => transmitter.waiting.size === 0, 'the events are not taken');
    assert.ok(transmitter.acknowledged.includes('rotated'));
    assert.deepEqual([...transmitter.faults], [['invented', 'invalid_key']]);
  });
});

describe('many security events that were asked for, with keys that cannot be fetched', () => {
  beforeEach(calm);
  afterEach(() => {
    transmitter.waiting.clear();
    transmitter.mostInAnswer = Number.POSITIVE_INFINITY;
  });
  const putOffEvents = async (count: number, claims: Claims = {}) => {
    provider.answer = answerWith(500);
    await useUpTheGuardInVain();
    const key = await makeKey();
    for (let index = 0; index < count; index += 1)
      transmitter.waiting.set(`put off ${index}`, await securityEvent(provider, claims, {}, key));
  };
  /** How many are asked for, poll by poll, until it is so. */
  const askedUntil = async (isSo: (asked: readonly unknown[]) => boolean, message: string) => {
    const before = transmitter.polls.length;
    const asked = () => transmitter.polls.slice(before).map(({ body }) => body.maxEvents);
    await until(
      async () => {
        await advance(500);
        return asked();
      },
      isSo,
      message,
    );
  };

  it('hold up no later one, though they fill an answer', async () => {
    await putOffEvents(2 * mostAtOnce + 1);
    transmitter.waiting.set('later', await securityEvent(provider));
    await askedUntil(() => transmitter.acknowledged.includes('later'), 'an event waits for others');
    assert.equal(transmitter.waiting.size, 2 * mostAtOnce + 1, 'all others are left');
  });

  it('are asked for no more often where the transmitter gives no more of them at once', async () => {
    transmitter.mostInAnswer = mostAtOnce;
    await putOffEvents(mostAtOnce + 1);
    await askedUntil((asked) => asked.includes(2 * mostAtOnce), 'no more are asked for');
    const polls = transmitter.polls.length;
    // Half a second is the pause while there is more to be had, and five are the usual one.
    for (let halves = 0; halves < 8; halves += 1) await advance(500);
    assert.equal(transmitter.polls.length, polls);
  });

  it('are asked for in smaller numbers again once an answer was too large', async () => {
    const padding = 'x'.repeat(5_000);
    await putOffEvents(2 * mostAtOnce, { padding });
    await askedUntil((asked) => asked.includes(2 * mostAtOnce), 'control: more are asked for');
    await askedUntil((asked) => asked.includes(mostAtOnce), 'too many are asked for again and again');
  });
});

describe('what answers to the question for security events', () => {
  beforeEach(calm);
  const faults: Record<string, readonly [answer: () => Answer, fault: string | undefined]> = {
    'more than is taken of any provider': [
      () => answerText(JSON.stringify({ sets: {}, more: 'x'.repeat(512 * 1024) })),
      'too_large',
    ],
    'another address': [() => answerWith(307, '', { location: `${provider.origin}/elsewhere` }), 'status'],
    'no JSON': [() => answerText('<!doctype html>'), 'not_json'],
    'JSON without events': [() => answerText('[]'), undefined],
  };
  for (const [what, [answer, fault]] of Object.entries(faults)) {
    it(`is a fault, and is asked again: ${what}`, async () => {
      const event = await securityEvent(provider);
      const told = () => service.logLines().filter(({ msg }) => msg === 'security events not fetched');
      const before = told().length;
      transmitter.answer = answer();
      await until(
        async () => {
          await advance(5_000);
          return told()[before];
        },
        (line) => line !== undefined && line.error_code === fault,
        'the log does not say what is wrong',
      );
      transmitter.answer = null;
      transmitter.waiting.set(what, event);
      await until(
        async () => {
          await advance(5_000);
          return transmitter.acknowledged.includes(what);
        },
        (isAcknowledged) => isAcknowledged,
        'nothing is asked any more',
      );
      assert.ok(!provider.asked.includes('POST /elsewhere'));
    });
  }
});

describe('the token that is sent with the question for security events', () => {
  beforeEach(calm);

  const faults: Record<string, readonly [spoil: () => void, says: RegExp]> = {
    'is gone': [() => rmSync(tokenFile), /and it cannot be read \(ENOENT\); found ".*\/stream"\.$/],
    'is empty': [() => writeFileSync(tokenFile, '\n'), /and it is empty; found ".*\/stream"\.$/],
    'has a second line': [
      () => writeFileSync(tokenFile, 'hunter2\nhunter3\n'),
      /one bearer token in it: .*; found ".*\/stream"\.$/,
    ],
  };
  for (const [what, [spoil, says]] of Object.entries(faults)) {
    it(`${what}: the log says so, and another one is used as soon as it is there`, async () => {
      const told = () => service.logLines().filter(({ msg }) => msg === 'security events not fetched');
      const before = told().length;
      spoil();
      const line = await until(
        async () => {
          await advance(5_000);
          return told()[before];
        },
        (said) => said !== undefined,
        'the log says nothing',
      );
      assert.equal(line?.error, 'OperatorError');
      assert.match(String(line?.detail), says);
      assert.doesNotMatch(JSON.stringify(line), /hunter/);
      const renewed = `renewed-${randomUUID()}`;
      writeFileSync(tokenFile, renewed);
      await until(
        async () => {
          await advance(5_000);
          return transmitter.polls.at(-1)?.authorization;
        },
        (authorization) => authorization === `Bearer ${renewed}`,
        'the token that is there now is not used',
      );
    });
  }
});
