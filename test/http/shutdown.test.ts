import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import {
  addClient,
  clockedProcess,
  me,
  newSettings,
  ownProcess,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { SlowRequest } from './slow-request.ts';

describe('shutdown of the process', () => {
  let provider: TestProvider;
  let settings: Settings;
  let body = '';
  const started: Service[] = [];
  before(async () => {
    provider = await TestProvider.start();
    settings = await newSettings('sqlite', { ...provider.settings, ...ownProcess });
    body = credentialsBody({ id: 'caller', secret: await addClient(settings, 'caller') });
  });
  after(async () => {
    await provider.stop();
    await Promise.all(started.map((service) => service.stop()));
  });
  const start = async (overrides: Settings = {}) => {
    const service = await startService({ ...settings, ...overrides });
    started.push(service);
    let stderr = '';
    service.process.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = once(service.process, 'close').then(([code, signal]) => ({ code, signal, stderr }));
    return { service, ended };
  };
  const isStopping = (service: Service) =>
    until(
      () => service.logLines().map(({ msg }) => msg),
      (messages) => messages.includes('stopping'),
      'it does not say that it stops',
    );
  const well = { code: 0, signal: null, stderr: '' };

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`[F161] ${signal} lets the request in flight finish, and the process exits with 0`, async () => {
      const { service, ended } = await start();
      const flight = await SlowRequest.begin(service.url, '/token', body.length);
      service.process.kill(signal);
      await isStopping(service);
      const reply = await flight.finish(body);
      assert.equal(reply.status, 200);
      assert.equal(reply.json().token_type, 'Bearer');
      assert.deepEqual(await ended, well);
      const lastWord = () => service.logLines().at(-1)?.msg;
      await until(lastWord, (message) => message === 'stopped', 'it does not say that it has stopped');
    });

  it('[F159] a stopping process refuses new connections and is not ready', async () => {
    const { service, ended } = await start();
    const flight = await SlowRequest.begin(service.url, '/token', body.length);
    service.process.kill('SIGTERM');
    await isStopping(service);
    await assert.rejects(request(`${service.url}${me}`), 'a new connection is refused');
    const ready = await request(`${service.opsUrl}/readyz`);
    assert.deepEqual([ready.status, ready.json().status], [503, 'stopping']);
    assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
    assert.equal((await flight.finish(body)).status, 200);
    assert.deepEqual(await ended, well);
  });

  it('[G187] a draining process is not ready, serves until its successor is up, and loses no request', async () => {
    const service = await startService({ ...settings, ...clockedProcess, DRAIN_SECONDS: '300' });
    started.push(service);
    const ended = once(service.process, 'close');
    service.process.kill('SIGTERM');
    await until(
      async () => (await request(`${service.opsUrl}/readyz`)).status,
      (status) => status === 503,
      'it stays ready',
    );
    assert.equal((await postToken(service.url, body)).status, 200);
    const flight = await SlowRequest.begin(service.url, '/token', body.length);
    const { service: next } = await start();
    assert.equal((await request(`${next.opsUrl}/readyz`)).status, 200);
    assert.equal((await postToken(next.url, body)).status, 200);
    await service.advance(300_000);
    assert.equal((await flight.finish(body)).status, 200);
    assert.deepEqual(await ended, [0, null]);
  });

  it('[F161] a second signal changes nothing', async () => {
    const { service, ended } = await start();
    const flight = await SlowRequest.begin(service.url, '/token', body.length);
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) {
      service.process.kill(signal);
      await isStopping(service);
    }
    assert.equal((await flight.finish(body)).status, 200);
    assert.deepEqual(await ended, well);
  });

  it('an idle connection does not delay the exit', async () => {
    const { service, ended } = await start();
    const { hostname, port } = new URL(service.url);
    const idle = connect(Number(port), hostname);
    idle.write(`GET ${me} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    await once(idle, 'data');
    const closed = once(idle, 'close');
    service.process.kill('SIGTERM');
    await closed;
    assert.deepEqual(await ended, well);
  });

  it('[F160] a request that never ends is cut off, and the process exits with 0', async () => {
    const { service, ended } = await start();
    const flight = await SlowRequest.begin(service.url, '/token', body.length);
    service.process.kill('SIGTERM');
    await flight.closed;
    assert.deepEqual(await ended, well);
  });
});
