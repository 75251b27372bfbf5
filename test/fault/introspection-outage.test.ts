import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { mostInFlight } from '../../src/auth/introspection/introspection.ts';
import { answerWith } from '../support/hostile-answers.ts';
import { AskedEndpoint, answerJson, introspectingSettings, opaqueToken } from '../support/introspection.ts';
import { until } from '../support/polling.ts';
import { TestProvider } from '../support/provider.ts';
import { type Reply, withToken } from '../support/request.ts';
import { type ClockedService, me, startService } from '../support/service.ts';

let provider: TestProvider;
let endpoint: AskedEndpoint;
let service: ClockedService;

before(async () => {
  provider = await TestProvider.start();
  endpoint = await AskedEndpoint.start();
  const introspection = { url: endpoint.url, clientId: 'resource-server', clientSecret: opaqueToken() };
  const settings = await introspectingSettings({ origin: provider.origin, introspection });
  service = await startService(settings, { clocked: true });
});
after(async () => {
  endpoint.stop();
  await provider.stop();
  await service.stop();
});

const ask = (token: string) => withToken(`${service.url}${me}`, token);
const good = () =>
  answerJson({ active: true, ...provider.claims({ exp: Math.floor(Date.now() / 1000) + 86_400 }) });
/** How far the clock of the service is ahead. */
let aheadMs = 0;
const advance = (milliseconds: number) => {
  aheadMs += milliseconds;
  return service.advance(milliseconds);
};
const codeOf = ({ status, json }: Reply) => (status === 200 ? 200 : json().code);

/** Answers wait until they are let go. */
function held(): { readonly waiting: ServerResponse[]; letGo(): void } {
  const waiting: ServerResponse[] = [];
  endpoint.answer = (_request, response) => {
    waiting.push(response);
  };
  return {
    waiting,
    letGo() {
      endpoint.answer = good();
      for (const response of waiting) endpoint.answer(response.req, response);
    },
  };
}

describe('many requests at once', () => {
  it('with the same token are one question', async () => {
    const token = opaqueToken();
    const { waiting, letGo } = held();
    const asked = await endpoint.asked(async () => {
      const replies = Array.from({ length: 50 }, () => ask(token));
      await until(
        () => waiting.length,
        (length) => length > 0,
        'nothing is asked',
      );
      letGo();
      assert.deepEqual([...new Set((await Promise.all(replies)).map(codeOf))], [200]);
    });
    assert.equal(asked, 1);
  });

  it('are so many questions and no more; those with JWTs and known tokens do not notice', async () => {
    endpoint.answer = good();
    const known = opaqueToken();
    assert.equal((await ask(known)).status, 200);
    const { waiting, letGo } = held();
    const replies = Array.from({ length: mostInFlight }, () => ask(opaqueToken()));
    await until(
      () => waiting.length,
      (length) => length === mostInFlight,
      'not all are asked about',
    );
    const further = await ask(opaqueToken());
    assert.equal(further.status, 503);
    assert.equal(codeOf(further), 'overloaded');
    assert.equal(further.headers.get('retry-after'), '1');
    assert.equal((await ask(known)).status, 200);
    assert.equal((await ask(await provider.token())).status, 200);
    letGo();
    assert.deepEqual([...new Set((await Promise.all(replies)).map(codeOf))], [200]);
    assert.equal(waiting.length, mostInFlight);
    assert.equal((await ask(opaqueToken())).status, 200, 'there is room again');
  });
});

describe('a token that was refused', () => {
  it('is asked about again after five seconds', async () => {
    endpoint.answer = answerJson({ active: false });
    const token = opaqueToken();
    assert.equal(await endpoint.asked(() => ask(token)), 1);
    await advance(4_900);
    assert.equal(await endpoint.asked(() => ask(token)), 0);
    await advance(200);
    endpoint.answer = good();
    const asked = await endpoint.asked(async () => assert.equal((await ask(token)).status, 200));
    assert.equal(asked, 1);
  });
});

describe('a token that is remembered', () => {
  it('never counts past its expiry, however long it might', async () => {
    const soon = Math.floor((Date.now() + aheadMs) / 1000) + 20;
    endpoint.answer = answerJson({ active: true, ...provider.claims({ exp: soon }) });
    const token = opaqueToken();
    assert.equal((await ask(token)).status, 200);
    assert.equal(await endpoint.asked(() => ask(token)), 0);
    await advance(20_500);
    endpoint.answer = good();
    assert.equal(await endpoint.asked(() => ask(token)), 1);
  });
});

describe('an endpoint that fails again and again', () => {
  it('is given a pause in which nobody waits, then one try, then all again', async () => {
    await service.holdTime();
    endpoint.answer = good();
    const known = opaqueToken();
    assert.equal((await ask(known)).status, 200);
    endpoint.answer = answerWith(500);
    const failing = await endpoint.asked(async () => {
      for (let count = 0; count < 5; count += 1)
        assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
    });
    assert.equal(failing, 5);
    const paused = await endpoint.asked(async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask(opaqueToken())));
      for (const reply of replies) {
        assert.equal(codeOf(reply), 'introspection_unavailable');
        assert.equal(reply.headers.get('retry-after'), '5');
      }
    });
    assert.equal(paused, 0);
    assert.equal((await ask(known)).status, 200, 'what is remembered counts');
    assert.equal((await ask(await provider.token())).status, 200, 'JWTs are as ever');

    await advance(5_000);
    const tried = await endpoint.asked(() =>
      Promise.all(Array.from({ length: 20 }, () => ask(opaqueToken()))),
    );
    assert.equal(tried, 1, 'one try at a time');
    const longer = await ask(opaqueToken());
    assert.equal(longer.headers.get('retry-after'), '10', 'the next pause is twice as long');

    await advance(10_000);
    endpoint.answer = good();
    assert.equal((await ask(opaqueToken())).status, 200);
    const again = await Promise.all(Array.from({ length: 5 }, () => ask(opaqueToken())));
    assert.deepEqual([...new Set(again.map(codeOf))], [200]);
    await until(
      () => service.logLines().map(({ msg }) => msg),
      (told) =>
        told.includes('provider cannot be asked about tokens') &&
        told.includes('provider answers about tokens again'),
      'the log tells of neither or of one only',
    );
  });

  it('stays asked when it makes no sense of some tokens (400)', async () => {
    endpoint.answer = answerWith(400);
    for (let count = 0; count < 8; count += 1)
      assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
    endpoint.answer = good();
    assert.equal((await ask(opaqueToken())).status, 200);
  });

  it('that is gone altogether: 503, and JWTs are as ever', async () => {
    endpoint.stop();
    for (let count = 0; count < 6; count += 1)
      assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
    assert.equal((await ask(await provider.token())).status, 200);
  });
});
