import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, runVestibule, type Service } from '../support/services/service.ts';
import { childrenOf, endings, metric, SteadyLoad, serving } from '../support/services/supervised.ts';

const settings = { TEST_SERVE_OPTIONS: '--processes 2', REFUSALS_PER_MINUTE: '1000000' };

/** How many requests each process has answered, by its log. */
const answeredBy = (service: Service, route: string) => {
  const lines = service.logLines().filter((line) => line.route === route);
  return [1, 2].map((number) => lines.filter(({ process }) => process === number).length) as [number, number];
};

const listeningLines = (service: Service) =>
  until(
    () => service.logLines().filter(({ msg }) => msg === 'listening'),
    ({ length }) => length > 0,
    'it does not say where it listens',
  );

describe('two processes on one port', () => {
  const running = deployment({ settings });

  it('are announced in one log line with address and count', async () => {
    const { service } = running();
    const lines = await listeningLines(service);
    assert.equal(lines.length, 1);
    assert.deepEqual([lines[0]?.processes, lines[0]?.address], [2, service.url]);
    assert.equal(childrenOf(service).length, 2);
  });

  it('share connections evenly: 40 to 60 of a hundred each', async () => {
    const { service } = running();
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          request(`${service.url}/token`, { headers: { connection: 'close' } }),
        ),
      );
    const counts = await until(
      () => answeredBy(service, '/token'),
      ([one, other]) => one + other === 1000,
      'not all requests are in the log',
    );
    for (const count of counts) assert.ok(count >= 400 && count <= 600, String(counts));
  });

  it('have their metrics summed on the ops port, with the number of processes', async () => {
    const { service } = running();
    const line = /^vestibule_http_requests_total\{method="GET",route="\/token",status="405"\} 1000$/m;
    const metrics = () => service.metrics();
    await until(metrics, (text) => line.test(text), 'the requests of both are not summed');
    assert.equal(await metric(service, 'vestibule_processes_wanted'), 2);
    assert.equal(await metric(service, 'vestibule_processes_serving'), 2);
    assert.equal(
      await metric(service, 'vestibule_jwks_usable_keys{provider="provider"}'),
      1,
      'both have the same key',
    );
    const text = await service.metrics();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    assert.equal(new Set(names).size, names.length, 'each metric is described once');
  });

  it('have their checks and signing keys combined in /readyz', async () => {
    const { service } = running();
    const { checks, signing_keys: signingKeys } = (await request(`${service.opsUrl}/readyz`)).json();
    assert.deepEqual(checks, { database: 'ok', provider_keys: 'ok', processes: 'ok' });
    const { keys } = (await request(`${service.url}/.well-known/jwks.json`)).json<{
      keys: { kid: string }[];
    }>();
    const kids = keys.map(({ kid }) => kid);
    assert.deepEqual(signingKeys, kids);
  });

  it('health is 503 within two seconds when one hangs; metrics still answer', async () => {
    const { service } = running();
    const before = await metric(service, 'process_cpu_seconds_total');
    const [hung] = childrenOf(service) as [number];
    process.kill(hung, 'SIGSTOP');
    try {
      for (const path of ['/readyz', '/livez']) {
        const askedAt = performance.now();
        const reply = await request(`${service.opsUrl}${path}`);
        assert.equal(reply.status, 503, reply.text);
        assert.deepEqual(reply.json().processes, { wanted: 2, serving: 2, silent: 1 });
        if (path === '/readyz') assert.match(reply.text, /"processes":"1 of 2 do not answer"/);
        assert.ok(performance.now() - askedAt < 2_000);
      }
      assert.ok((await metric(service, 'process_cpu_seconds_total')) >= before, 'a counter never goes back');
    } finally {
      process.kill(hung, 'SIGCONT');
    }
    await serving(service, 2);
    const ready = () => request(`${service.opsUrl}/readyz`);
    await until(ready, ({ status }) => status === 200, 'it does not get ready again');
  });

  it('a hung process delays one connection at most', async () => {
    const { service } = running();
    const [hung] = childrenOf(service) as [number];
    process.kill(hung, 'SIGSTOP');
    let answered = 0;
    const requests = Array.from({ length: 20 }, async () => {
      const bytes = head('GET', '/.well-known/jwks.json');
      const { status } = parseReply(await exchange(service.url, bytes));
      answered += 1;
      return status;
    });
    try {
      const others = () => answered;
      await until(others, (count) => count >= 19, 'the other process does not answer');
    } finally {
      process.kill(hung, 'SIGCONT');
    }
    assert.deepEqual([...new Set(await Promise.all(requests))], [200]);
  });

  it('health is answered while all processes are busy', async () => {
    const { service, provider } = running();
    const headers = { authorization: `Bearer ${await provider.token()}` };
    const load = new SteadyLoad(64, () => ({ method: 'GET', url: `${service.url}${me}`, headers }));
    for (let count = 0; count < 5; count += 1) {
      const reply = await request(`${service.opsUrl}/readyz`);
      assert.equal(reply.status, 200, reply.text);
      await pause(100);
    }
    await load.stop();
    assert.deepEqual([[...load.statuses.keys()], load.failures], [[200], []]);
  });

  it('[F150] a killed process fails only its own requests and is replaced', async () => {
    const { service, provider } = running();
    const headers = { authorization: `Bearer ${await provider.token()}` };
    const counted = await metric(
      service,
      'vestibule_http_request_duration_seconds_count\\{route="/token"\\}',
    );
    const load = new SteadyLoad(16, () => ({ method: 'GET', url: `${service.url}${me}`, headers }));
    const kills: number[] = [];
    const endedBefore = endings(service).length;
    for (let kill = 0; kill < 5; kill += 1) {
      const victims = childrenOf(service);
      process.kill(victims[kill % victims.length] as number, 'SIGKILL');
      kills.push(performance.now());
      await pause(1_000);
    }
    await serving(service, 2);
    const served = () => load.answered;
    await until(served, (answered) => answered > 500, 'five hundred requests are not answered');
    await load.stop();
    assert.deepEqual([...load.statuses.keys()], [200]);
    // Requests in flight at the killed process, or on their way to it.
    const inIt = (failedAt: number) => kills.some((at) => failedAt >= at - 20 && failedAt <= at + 300);
    const others = load.failures.filter(({ failedAt }) => !inIt(failedAt));
    assert.deepEqual(others, []);
    assert.ok(load.failures.length <= 5 * 16, 'no more than one request of each caller and kill');
    const ends = () => endings(service).slice(endedBefore);
    const lines = await until(ends, ({ length }) => length === 5, 'not every end is in the log');
    for (const { signal, again_in_ms: delay } of lines) {
      assert.equal(signal, 'SIGKILL');
      assert.ok(Number(delay) < 1_000, 'another is started within a second');
    }
    assert.equal(await metric(service, 'vestibule_processes_ended_total'), endedBefore + 5);
    assert.ok(
      (await metric(service, 'vestibule_http_request_duration_seconds_count\\{route="/token"\\}')) >= counted,
      'what those have counted that are gone stays counted',
    );
  });

  it('requests without any living process wait for the next one', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const [first, second] = childrenOf(service) as [number, number];
    process.kill(first, 'SIGKILL');
    await serving(service, 1);
    process.kill(second, 'SIGKILL');
    const isLeft = () => childrenOf(service).includes(second);
    await until(isLeft, (isThere) => !isThere, 'it is not gone');
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => withToken(`${service.url}${me}`, token)),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    await serving(service, 2);
  });

  it('a port in use is reported in one sentence', async () => {
    const { service } = running();
    const { port } = new URL(service.url);
    const { code, stderr } = await runVestibule(
      { ...service.settings, PORT: port },
      'serve',
      '--processes',
      '2',
    );
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^vestibule: Port ${port} on 127.0.0.1 is taken by another process\\. `));
  });
});

describe('two processes with a request timeout of a second', () => {
  const running = deployment({ settings: { ...settings, REQUEST_TIMEOUT_SECONDS: '1' } });

  it('an unfinished body gets 408', async () => {
    const { service } = running();
    const bytes = head('POST', '/token', 'content-type: application/json', 'content-length: 100');
    assert.equal(parseReply(await exchange(service.url, `${bytes}{`)).status, 408);
  });

  it('all processes end when the supervisor is killed', async () => {
    const { service } = running();
    const children = childrenOf(service);
    const closed = once(service.process, 'exit');
    service.process.kill('SIGKILL');
    await closed;
    const isThere = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    const left = () => children.filter(isThere);
    await until(left, (left) => left.length === 0, 'a process is left', 5_000);
    await assert.rejects(fetch(`${service.url}/token`));
  });
});
