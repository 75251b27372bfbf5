import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { answerText, answerWith, flood, gzipBomb, silence } from '../support/faults/hostile-answers.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { failedFetches, keysMetric, refreshKeys, statusesOfNew } from '../support/services/provider-keys.ts';
import type { Answer } from '../support/tokens/provider.ts';

const megabyte = 1024 * 1024;
/** Unread bytes that the sockets of both sides may hold. */
const inTheSockets = 16 * megabyte;

let seen = '';
const pair = deployment({ hasKeys: true });
before(async () => {
  seen = await pair().provider.token({ exp: Math.floor(Date.now() / 1000) + 100_000_000 });
  assert.equal((await pair().me(seen)).status, 200, 'control: the first answer of the provider was good');
});

/** A valid response, so that every case is the first failure after a success. */
async function recover(): Promise<void> {
  pair().provider.answer = null;
  await pair().advance(3_600_000);
  const { provider_keys: keys } = (await pair().ready()).json<{ provider_keys: Record<string, unknown> }>();
  assert.equal(keys.last_fault, null);
}

/** The next refresh gets this response: one attempt, one fault, and the old keys stay in use. */
async function keepsItsKeys(answer: Answer, fault: string): Promise<void> {
  await recover();
  const { provider } = pair();
  const before = failedFetches(pair()).length;
  provider.answer = answer;
  await pair().move(600_000);
  const failures = () => failedFetches(pair()).slice(before);
  const failed = await until(failures, ({ length }) => length > 0, 'the fetch does not come to an end');
  assert.equal(failed[0]?.fault, fault);
  assert.ok((await keysMetric(pair(), `vestibule_jwks_fetches_total{result="${fault}"}`)) >= 1);
  assert.deepEqual(await statusesOfNew(pair(), 3), [200], 'the last good keys are used');
  assert.equal((await pair().me(seen)).status, 200);
  assert.equal((await pair().ready()).status, 200);
}

it('[B65] a response that does not come times out', () => keepsItsKeys(silence, 'timeout'));

describe('a response that is too large', () => {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const large: Record<string, Parameters<typeof flood>> = {
    'a hundred megabytes with their length': [{ 'content-length': 100 * megabyte }, chunk, 1_600],
    'chunks without end': [{}, chunk, Number.MAX_SAFE_INTEGER],
    'a gigabyte in a megabyte of gzip': [{ 'content-encoding': 'gzip' }, gzipBomb(), 100],
  };
  for (const [what, flooding] of Object.entries(large)) {
    it(`[B66] ${what} is aborted early`, async () => {
      const { answer, state } = flood(...flooding);
      await keepsItsKeys(answer, 'too_large');
      assert.ok(state.sent < inTheSockets, `${state.sent} bytes were taken`);
    });
  }

  it('[B66] a document of 512 KiB is read; one more byte is refused', async () => {
    const { provider } = pair();
    const padded = (size: number) => JSON.stringify(provider.document).padEnd(size, ' ');
    await recover();
    const before = failedFetches(pair()).length;
    provider.answer = answerText(padded(512 * 1024));
    await refreshKeys(pair());
    assert.equal(failedFetches(pair()).length, before);
    await keepsItsKeys(answerText(padded(512 * 1024 + 1)), 'too_large');
  });
});

describe('a response that is not a key set', () => {
  const html = '<!doctype html><title>Sign in</title>';
  const good = () => JSON.stringify(pair().provider.document);
  const documents: Record<string, Record<string, () => string | Buffer>> = {
    not_json: {
      'HTML that says it is JSON': () => html,
      nothing: () => '',
      'JSON cut off': () => good().slice(0, -20),
      'a byte order mark before it': () => `\ufeff${good()}`,
      'bytes that are not UTF-8': () => Buffer.concat([Buffer.from(good()), Buffer.from([0xff])]),
    },
    no_usable_keys: {
      null: () => 'null',
      'a number': () => '42',
      'a list': () => '[]',
      'a list of keys without its object': () => JSON.stringify(pair().provider.document.keys),
      'an object without keys': () => '{}',
      'keys that are an object': () => '{"keys":{}}',
      'keys that are a text': () => '{"keys":"x"}',
      'more keys than anybody has': () =>
        JSON.stringify({ keys: Array(101).fill({ kty: 'EC' }).concat(pair().provider.document.keys) }),
    },
  };
  for (const [fault, bodies] of Object.entries(documents))
    for (const [what, body] of Object.entries(bodies))
      it(`[B67] the old keys stay when the response is ${what}`, () =>
        keepsItsKeys(answerText(body()), fault));

  it('[B67] the old keys stay when the response is HTML', () =>
    keepsItsKeys(answerText(html, 'text/html'), 'not_json'));

  it('[B69] an empty list of keys is a fault; the old keys stay', () =>
    keepsItsKeys(answerText('{"keys":[]}'), 'no_usable_keys'));
});

describe('a response with another status than 200', () => {
  const good = () => JSON.stringify(pair().provider.document);
  const others = [201, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 429, 500, 502, 503];
  for (const status of others) {
    it(`[B68] the old keys stay when the status is ${status}`, async () => {
      const location = { location: `${pair().provider.origin}/elsewhere` };
      const body = status === 204 || status === 304 ? '' : good();
      await keepsItsKeys(answerWith(status, body, location), 'status');
      assert.ok(!pair().provider.asked.includes('GET /elsewhere'), 'no redirect is followed');
    });
  }

  /** The headers of the provider, and the seconds until the next try. */
  const waits: Record<string, [retryAfter: () => string, seconds: number]> = {
    'two minutes': [() => '120', 120],
    'five minutes': [() => '300', 300],
    'a week, of which five minutes are granted': [() => '604800', 300],
    // By the provider's own Date header.
    'until a date in two minutes': [() => new Date(Date.now() + 120_000).toUTCString(), 120],
  };
  for (const [what, [retryAfter, seconds]] of Object.entries(waits)) {
    for (const status of [429, 503]) {
      it(`[B68] a provider that answers ${status} with Retry-After (${what}) is not asked before`, async () => {
        const { provider } = pair();
        await keepsItsKeys((request, response) => {
          answerWith(status, '', { 'retry-after': retryAfter() })(request, response);
        }, 'status');
        const before = provider.fetches;
        await pair().advance((seconds - 10) * 1_000);
        assert.equal(provider.fetches, before, 'too early');
        provider.answer = null;
        await pair().advance(15_000);
        assert.equal(provider.fetches, before + 1, 'the time is over');
      });
    }
  }

  it('[B68] an invalid Retry-After is ignored', async () => {
    for (const value of ['-1', '1.5', 'soon', '99999999999999999999', '']) {
      await keepsItsKeys(answerWith(503, '', { 'retry-after': value }), 'status');
      const before = pair().provider.fetches;
      pair().provider.answer = null;
      await pair().advance(2_000);
      assert.equal(pair().provider.fetches, before + 1, JSON.stringify(value));
    }
  });
});
