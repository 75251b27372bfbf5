import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { FetchError, type FetchFault, fetchDocument } from '../../src/auth/provider-fetch.ts';
import { answerText, answerWith, silence, slowBody, slowHead } from '../support/faults/hostile-answers.ts';
import { type Answer, TestProvider } from '../support/tokens/provider.ts';

let provider: TestProvider;
let elsewhere: TestProvider;
const stopping = new AbortController();
before(async () => {
  provider = await TestProvider.start();
  elsewhere = await TestProvider.start();
});
after(async () => {
  await provider.stop();
  await elsewhere.stop();
});

async function faultOf(answer: Answer, from = provider): Promise<FetchFault | null> {
  from.answer = answer;
  try {
    await fetchDocument(`${from.origin}/jwks`, stopping.signal);
    return null;
  } catch (error) {
    assert.ok(error instanceof FetchError, String(error));
    return error.fault;
  }
}

const keySet = () => JSON.stringify(provider.document);

it('a key set is fetched, also as text/plain', async () => {
  assert.equal(await faultOf(answerText(keySet())), null);
  assert.equal(await faultOf(answerText(keySet(), 'text/plain')), null, 'some providers know no better type');
});

it('[B68] any status but 200 is a fault, even with a good body', async () => {
  for (const status of [201, 203, 206, 400, 401, 404, 429, 500, 503])
    assert.equal(await faultOf(answerWith(status, keySet())), 'status', String(status));
  for (const status of [204, 304]) assert.equal(await faultOf(answerWith(status)), 'status', String(status));
});

it('[B68] a redirect is a fault and is not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const headers = { location: `${elsewhere.origin}/jwks` };
    assert.equal(await faultOf(answerWith(status, '', headers)), 'status', String(status));
  }
  assert.deepEqual(elsewhere.asked, []);
});

it('[B66] a response of 512 KiB is read; one more byte is too large', async () => {
  const padded = (bytes: number) => keySet().padEnd(bytes, ' ');
  assert.equal(await faultOf(answerText(padded(512 * 1024))), null);
  assert.equal(await faultOf(answerText(padded(512 * 1024 + 1))), 'too_large');
});

it('[B67] a body that is not JSON in UTF-8 is a fault', async () => {
  for (const body of ['', '<html>', keySet().slice(1), `\ufeff${keySet()}`, `${keySet()}x`])
    assert.equal(await faultOf(answerText(body)), 'not_json', body.slice(0, 9));
  const broken = Buffer.from(keySet().replace('{', '{"x":"\xff",'), 'latin1');
  assert.equal(await faultOf(answerText(broken)), 'not_json');
});

it('[B65] one timeout covers the headers and the body', async () => {
  await using slow = new AsyncDisposableStack();
  const faults = [silence, slowHead, slowBody].map(async (answer) => {
    const from = await TestProvider.start();
    slow.defer(() => from.stop());
    return faultOf(answer, from);
  });
  assert.deepEqual(await Promise.all(faults), ['timeout', 'timeout', 'timeout']);
});
