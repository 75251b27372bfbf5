import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../src/base/log.ts';
import { shareOf } from '../../src/compose/member.ts';
import { loadConfig } from '../../src/config/load.ts';
import { countsOf, expositionText, type Family, mergeMetrics } from '../../src/ops/exposition.ts';
import { killWhenSilent } from '../../src/supervisor/child.ts';
import { Backoff } from '../../src/supervisor/children.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { childrenOf, endings, serving } from '../support/services/supervised.ts';

const route = '/.well-known/jwks.json';

describe('vestibule serve --processes 2', () => {
  const running = deployment({ settings: { TEST_SERVE_OPTIONS: '--processes 2' } });
  const ask = async () => {
    const reply = await request(`${running().service.url}${route}`, { headers: { connection: 'close' } });
    assert.equal(reply.status, 200, reply.text);
  };

  it('both processes answer on one port', async () => {
    const { service } = running();
    await until(
      async () => {
        await ask();
        return new Set(service.logLines().flatMap((line) => (line.route === route ? [line.process] : [])));
      },
      ({ size }) => size === 2,
      'only one process answers',
    );
  });

  it('[F150] a killed process is replaced while requests are answered', async () => {
    const { service } = running();
    const before = childrenOf(service);
    const [killed] = before as [number];
    process.kill(killed, 'SIGKILL');
    const ends = () => endings(service);
    await until(ends, ({ length }) => length === 1, 'the end of the process is not in the log');
    await ask();
    await serving(service, 2);
    const now = childrenOf(service);
    assert.deepEqual([now.length, now.includes(killed)], [2, false]);
    for (let count = 0; count < 2; count += 1) await ask();
  });
});

describe('a hung process', () => {
  /** A process that answers heartbeats as given, until it is killed. */
  const hanging = (answers: readonly boolean[]) => {
    const clock = new MovableClock();
    const signals: string[] = [];
    let asked = 0;
    const child = {
      process: 1,
      isServing: true,
      async ask() {
        const isAnswered = answers[asked] ?? true;
        asked += 1;
        if (asked > answers.length) child.isServing = false;
        // Waits for the timeout of a heartbeat.
        else if (!isAnswered) clock.advance(10_000);
        setImmediate(() => clock.advance(10_000));
        return isAnswered ? (true as never) : null;
      },
      signal: (signal: string) => signals.push(signal),
    };
    return { ended: killWhenSilent(child, clock, createLog('silent')), signals, asked: () => asked };
  };

  it('is killed after three missed heartbeats in a row', async () => {
    const { ended, signals, asked } = hanging([true, false, false, false]);
    await ended;
    assert.deepEqual([signals, asked()], [['SIGKILL'], 4]);
  });

  it('is not killed when it answers in between', async () => {
    const { ended, signals } = hanging([false, false, true, false, false, true]);
    await ended;
    assert.deepEqual(signals, []);
  });
});

describe('decisions of the supervisor', () => {
  const byItself = { code: 1, signal: null };
  const killed = { code: null, signal: 'SIGKILL' };

  it('a process that keeps exiting is restarted with backoff, up to 30 seconds', () => {
    const backoff = new Backoff();
    const delays = Array.from({ length: 7 }, () => backoff.delayMs(byItself, 500));
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('a process that ran for a while or was killed is restarted at once, at most once a second', () => {
    const backoff = new Backoff();
    backoff.delayMs(byItself, 500);
    assert.equal(backoff.delayMs(byItself, 10_000), 0);
    assert.equal(backoff.delayMs(killed, 300), 700);
    assert.equal(backoff.delayMs(killed, 3_000), 0);
    assert.equal(backoff.delayMs(byItself, 500), 1_000);
  });

  it('metrics of processes merge as sum, maximum or minimum, by their kind', () => {
    const process = (count: number, age: number, left: number): Family[] => [
      {
        ...({ name: 'a_total', type: 'counter', help: '', across: 'sum' } as const),
        samples: [{ labels: { route: '/' }, value: count }],
      },
      { name: 'age', type: 'gauge', help: '', across: 'max', samples: [{ labels: {}, value: age }] },
      { name: 'left', type: 'gauge', help: '', across: 'min', samples: [{ labels: {}, value: left }] },
    ];
    const merged = mergeMetrics([process(1, 5, 7), process(2, 9, 3)]);
    const values = (families: readonly Family[]) => families.map(({ samples }) => samples[0]?.value);
    assert.deepEqual(values(merged), [3, 9, 3]);
    assert.deepEqual(values(mergeMetrics([process(1, 5, 7), process(2, Number.NaN, 3)])), [3, Number.NaN, 3]);
    const names = countsOf(merged).map(({ name }) => name);
    assert.deepEqual(names, ['a_total']);
    assert.match(expositionText(merged), /^a_total\{route="\/"\} 3$/m);
  });

  it('connection limits are divided among processes, rounded up; rate limits of callers are not', async () => {
    const config = await loadConfig({
      IDP_ORIGIN: 'https://login.example.org',
      API_AUDIENCE: 'https://api.example.org',
    });
    const share = shareOf(config, 3);
    const limits = [share.databasePoolSize, share.maxConnections, share.maxConnectionsPerAddress];
    assert.deepEqual(limits, [4, 3_334, 667]);
    assert.equal(share.readsPerMinute, config.readsPerMinute);
    assert.equal(share.maxBodyBytes, config.maxBodyBytes);
  });
});
