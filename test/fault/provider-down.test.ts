import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { silence } from '../support/faults/hostile-answers.ts';
import { assertProblem } from '../support/http/answers.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { Deployment, deployment } from '../support/services/deployment.ts';
import { failedFetches, keysMetric, statusesOfNew } from '../support/services/provider-keys.ts';
import { me, newSettings, type Service, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const program = `
  const server = require('node:net').createServer();
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));
`;

/**
 * A stopped server whose accept queue is full: new connections wait for ever, as behind a firewall
 * that drops packets.
 */
async function startUnacceptingServer() {
  const child = spawn(process.execPath, ['-e', program]);
  const [port] = (await once(child.stdout, 'data')).map((chunk) => Number(String(chunk)));
  child.kill('SIGSTOP');
  const queue: Socket[] = Array.from({ length: 8 }, () => {
    const socket = connect(port as number, '127.0.0.1');
    socket.on('error', () => {});
    return socket.unref();
  });
  await Promise.race(queue.map((socket) => once(socket, 'connect')));
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      for (const socket of queue) socket.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const minute = 60_000;
const hour = 60 * minute;

describe('a provider that is unreachable when the service starts', () => {
  let closing: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closing) await close();
    closing = [];
  });

  /** No name may have a part of 64 letters, so this one is not found, and no resolver is asked. */
  const origins: Record<string, () => Promise<string>> = {
    'refuses connections': async () => (await TestProvider.down()).origin,
    'has a name that does not resolve': async () => `https://${'x'.repeat(64)}.invalid`,
    'does not take connections': async () => {
      const server = await startUnacceptingServer();
      closing.push(server.stop);
      return server.origin;
    },
  };
  for (const [what, origin] of Object.entries(origins)) {
    it(`[B60] the service starts, is live, not ready, and answers 503 when the provider ${what}`, async () => {
      const provider = await TestProvider.down();
      const settings = await newSettings('sqlite', { IDP_ORIGIN: await origin(), IDP_JWKS_PATH: '/jwks' });
      const service: Service = await startService(settings);
      closing.push(service.stop);
      assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
      assert.equal((await request(`${service.opsUrl}/readyz`)).status, 503);
      const token = await provider.token({ iss: settings.IDP_ORIGIN });
      const replies = await Promise.all([1, 2, 3].map(() => withToken(service.url + me, token)));
      for (const reply of replies) {
        assertProblem(reply, 'keys_unavailable');
        assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      }
      const says =
        /^vestibule_jwks_fetches_total\{provider="provider",result="(unreachable|timeout)"\} [1-9]/m;
      assert.match(await service.metrics(), says);
    });
  }
});

describe('a provider that returns', () => {
  for (const [length, outage] of Object.entries({
    'a moment': 0,
    'ten minutes': 10 * minute,
    'three hours': 3 * hour,
  })) {
    it(`[B60] a service without keys is ready within five seconds of the return, after ${length}`, async () => {
      const provider = await TestProvider.down();
      const settings = await newSettings('sqlite', provider.settings);
      const pair = new Deployment(provider, settings, [await startService(settings)]);
      try {
        await pair.settle();
        for (let passed = 0; passed < outage; passed += outage / 10) await pair.advance(outage / 10);
        assertProblem(await pair.me(await provider.token()), 'keys_unavailable');
        // The worst moment: a try has just failed.
        if (outage > 0)
          await pair.advance(1_000 * (await keysMetric(pair, 'vestibule_jwks_next_fetch_seconds')));
        await provider.comeBack();
        await pair.advance(5_000);
        const { status, text } = await pair.ready();
        assert.equal(status, 200, text);
        assert.equal((await pair.me(await provider.token())).status, 200);
      } finally {
        await pair.stop();
      }
    });
  }
});

describe('a provider that goes away', () => {
  const pair = deployment({ hasKeys: true });
  let early = '';
  before(async () => {
    early = await pair().provider.token({ exp: Math.floor(Date.now() / 1000) + 100 * 3600 });
    assert.equal((await pair().me(early)).status, 200);
    await pair().provider.stop();
  });
  const everybodyGetsIn = async () => {
    assert.deepEqual(await statusesOfNew(pair(), 10), [200]);
    assert.equal((await pair().me(early)).status, 200);
    assert.equal((await pair().ready()).status, 200);
  };

  it('[B61] five minutes without the provider change nothing', async () => {
    for (let passed = 0; passed < 5; passed += 1) {
      await pair().advance(minute);
      await everybodyGetsIn();
    }
    assert.deepEqual(failedFetches(pair()), [], 'the keys are not due yet');
  });

  it('[B62] up to the maximum age the last good keys are used', async () => {
    for (const passes of [6 * minute, hour, 10 * hour, 12 * hour]) {
      await pair().advance(passes);
      await everybodyGetsIn();
    }
    assert.ok(failedFetches(pair()).length >= 4);
    const age = await keysMetric(pair(), 'vestibule_jwks_age_seconds');
    assert.ok(age > 83_000 && age < 83_600, `vestibule_jwks_age_seconds is ${age}`);
    assert.equal(
      (await pair().ready()).json<{ provider_keys: { last_fault: string } }>().provider_keys.last_fault,
      'unreachable',
    );
  });

  it('[B63] past the maximum age every token is 503, also known ones, until the provider is back', async () => {
    await pair().advance(hour);
    for (const token of [early, await pair().provider.token()]) {
      const reply = await pair().me(token);
      assertProblem(reply, 'keys_unavailable');
      assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    assert.equal((await pair().ready()).status, 503);
    assert.equal(await keysMetric(pair(), 'vestibule_jwks_stale_seconds_left'), 0);
    await pair().provider.comeBack();
    await pair().advance(75_000);
    await everybodyGetsIn();
  });
});

describe('a slow refresh', () => {
  const pair = deployment({ hasKeys: true });

  it('[B64] delays no request, and only one runs at a time', async () => {
    const { provider } = pair();
    const seen = await provider.token();
    assert.equal((await pair().me(seen)).status, 200);
    provider.answer = silence;
    await pair().move(600_000);
    const refreshes = () => provider.waiting;
    await until(refreshes, (waiting) => waiting === 1, 'no refresh begins');
    const fresh = await provider.token();
    for (const token of [fresh, seen]) assert.equal((await pair().me(token)).status, 200);
    assert.deepEqual(await statusesOfNew(pair(), 50), [200]);
    assert.equal(provider.waiting, 1, 'the answers came while the refresh was under way');
    assert.equal(provider.fetches, 2);
  });

  it('[B64] keys cacheable for a day are refreshed before they are too old to use', async () => {
    const { provider } = pair();
    provider.answer = (_request, response) => {
      response.setHeader('cache-control', 'max-age=86400');
      response.end(JSON.stringify(provider.document));
    };
    await pair().settle();
    await pair().advance(75_000);
    const before = provider.fetches;
    provider.answer = silence;
    await pair().move(1_000 * (await keysMetric(pair(), 'vestibule_jwks_next_fetch_seconds')));
    const fetches = () => provider.fetches;
    await until(fetches, (fetches) => fetches > before, 'no refresh begins');
    const reply = await pair().me(await provider.token());
    assert.equal(reply.status, 200, `a refresh is under way: ${reply.text}`);
  });
});
