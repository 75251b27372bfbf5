import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { FetchError, type FetchFault, fetchDocument } from '../../src/auth/provider-fetch.ts';
import { answerText, silence, slowBody, slowHead } from '../support/faults/hostile-answers.ts';
import { type Answer, TestProvider } from '../support/tokens/provider.ts';

let provider: TestProvider;
const stopping = new AbortController();
before(async () => {
  provider = await TestProvider.start();
});
after(() => provider.stop());

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

it('[B65] one timeout covers the headers and the body', async () => {
  await using slow = new AsyncDisposableStack();
  const faults = [silence, slowHead, slowBody].map(async (answer) => {
    const from = await TestProvider.start();
    slow.defer(() => from.stop());
    return faultOf(answer, from);
  });
  assert.deepEqual(await Promise.all(faults), ['timeout', 'timeout', 'timeout']);
});
