import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { endOf, failed } from '../support/commands/outcome.ts';
import { SmallDisk } from '../support/faults/small-disk.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { request, withToken } from '../support/http/request.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { atOnce, Deployment } from '../support/services/deployment.ts';
import {
  me,
  newSettings,
  ownProcess,
  type Service,
  type Settings,
  startService,
  startThrough,
} from '../support/services/service.ts';
import { makeKey, TestProvider } from '../support/tokens/provider.ts';

const declarations = {
  notes:
    'schema: { properties: { text: { type: string, maxLength: 60000 } } }\nlimits: { per_user: 100000, writes: 100000/min, bytes: 65536 }',
};

describe('a service short of a resource', () => {
  let provider: TestProvider;
  const running: Service[] = [];
  const disks: SmallDisk[] = [];
  before(async () => {
    provider = await TestProvider.start();
  });
  after(async () => {
    await Promise.all(running.map((service) => service.stop()));
    await provider.stop();
    for (const disk of disks) disk.remove();
  });
  const place = (overrides: Settings = {}) =>
    newSettings('sqlite', {
      ...ownProcess,
      ...provider.settings,
      COLLECTIONS_DIR: declarationsFolder(declarations),
      READS_PER_MINUTE: '100000',
      ...overrides,
    });
  const kept = (service: Service) => {
    running.push(service);
    return service;
  };
  const newDisk = (megabytes: number) => {
    const disk = new SmallDisk(megabytes);
    disks.push(disk);
    return disk;
  };
  const callerAt = async ({ url }: Service) => new ApiCaller(url, await provider.token());
  const isAlive = (service: Service) => assert.equal(service.process.exitCode, null);

  it('[F169] memory: a flood of large writes and lists is done or refused, and the service recovers', async () => {
    const service = kept(await startService(await place({ NODE_OPTIONS: '--max-old-space-size=80' })));
    const caller = await callerAt(service);
    const text = 'x'.repeat(50_000);
    const seen = new Map<number, number>();
    const count = (status: number) => seen.set(status, (seen.get(status) ?? 0) + 1);
    const bytes = JSON.stringify({ text });
    const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
    await concurrently(300, 150, async () => {
      const url = `${service.url}/api/consumer/v1/notes`;
      const reply = await fetch(url, { method: 'POST', headers, body: bytes }).catch(() => null);
      await reply?.arrayBuffer();
      count(reply?.status ?? 0);
    });
    await concurrently(40, 40, async () => {
      const reply = await fetch(`${service.url}/api/consumer/v1/notes?limit=50`, { headers }).catch(
        () => null,
      );
      await reply?.arrayBuffer();
      count(reply?.status ?? 0);
    });
    isAlive(service);
    const others = [...seen.keys()].filter((status) => ![200, 201, 503].includes(status));
    assert.deepEqual(others, [], JSON.stringify([...seen]));
    await caller.make('notes', { text: 'well' });
    assert.equal((await caller.usage('notes')).records.used, (seen.get(201) ?? 0) + 1);
  });

  it('[F169] DNS: callers are refused while the provider does not resolve, and accepted afterwards', async () => {
    const settings = await place({
      IDP_ORIGIN: provider.origin.replace('127.0.0.1', 'localhost'),
      IDP_ISSUER: provider.origin,
    });
    const hosts = `${settings.TEST_DIRECTORY}/hosts`;
    const resolver = `${settings.TEST_DIRECTORY}/resolv.conf`;
    writeFileSync(hosts, '');
    writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
    const steps = `mount --bind ${hosts} /etc/hosts && mount --bind ${resolver} /etc/resolv.conf && exec "$@"`;
    const service = kept(await startThrough(['unshare', '-m', 'sh', '-c', steps, 'sh'], settings));
    const token = await provider.token();
    const reply = await withToken(service.url + me, token);
    assert.deepEqual([reply.status, reply.json().code], [503, 'keys_unavailable']);
    assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
    assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
    assert.equal((await request(`${service.opsUrl}/readyz`)).status, 503);
    writeFileSync(hosts, '127.0.0.1 localhost\n');
    const status = async () => (await withToken(service.url + me, token)).status;
    await until(status, (status) => status === 200, 'nobody gets in', 40_000);
  });

  it('[F169] temporary files: a service without room for them starts and serves everything', async () => {
    const disk = newDisk(1);
    disk.fill();
    const folder = disk.folder;
    const service = kept(
      await startService(
        await place({ TMPDIR: folder, SQLITE_TMPDIR: folder, NODE_COMPILE_CACHE: `${folder}/compiled` }),
      ),
    );
    const caller = await callerAt(service);
    await atOnce(20, () => caller.make('notes', { text: 'x'.repeat(5_000) }));
    assert.equal((await caller.all('notes', '&sort=-created_at')).length, 20);
    assert.match((await caller.get('/me/export')).text, /"type":"end","records":20\}\n$/);
    assert.equal((await caller.send('DELETE', '/me')).status, 200);
  });

  it('[F172] disk: recovery from a kill on a full disk loses no acknowledged write', async () => {
    const disk = newDisk(6);
    const file = `${disk.folder}/vestibule.db`;
    const settings = await place({ DATABASE_URL: `sqlite:${file}` });
    const service = kept(await startService(settings));
    const caller = await callerAt(service);
    const acknowledged: string[] = [];
    for (let count = 0; count < 40; count += 1)
      acknowledged.push((await caller.make('notes', { text: 'x'.repeat(2_000) })).record.id);
    const ended = once(service.process, 'close');
    service.process.kill('SIGKILL');
    await ended;
    disk.fill();
    const recovering = await startService(settings).catch(() => null);
    if (recovering === null)
      failed(await endOf(settings, ['serve']), /the disk is full|input or output error/);
    else {
      const again = new ApiCaller(kept(recovering).url, caller.token);
      assert.equal((await again.send('POST', '/notes', { text: 'x'.repeat(50_000) })).status, 503);
      assert.equal((await again.all('notes')).length, acknowledged.length);
    }
    disk.free();
    const after = recovering ?? kept(await startService(settings));
    const again = new ApiCaller(after.url, caller.token);
    const status = async () => (await request(`${after.opsUrl}/readyz`)).status;
    await until(status, (status) => status === 200, 'it does not get ready');
    acknowledged.push((await again.make('notes', { text: 'after' })).record.id);
    const found = (await again.all('notes')).map(({ id }) => id);
    assert.deepEqual(found.toSorted(), acknowledged.toSorted());
    assert.equal((await again.usage('notes')).records.used, acknowledged.length);
    await after.stop();
    using database = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
  });
});

describe('a rolling restart while the provider is down', () => {
  it('[F172] the stored keys verify the tokens accepted before, and no others', async () => {
    const processes = await Deployment.start({ engine: 'postgres', processes: 2 });
    const { provider } = processes;
    try {
      const before = await provider.token({ sub: 'before' });
      await processes.letIn([before]);
      await until(
        () => processes.become(200, before),
        () => true,
        'the keys are stored',
      );
      await provider.stop();
      for (const index of [0, 1]) {
        await processes.restart(index);
        await processes.letIn([before, await provider.token({ sub: `during ${index}` })]);
        const stranger = await makeKey(provider.key.kid);
        assert.deepEqual(await processes.statuses(await provider.token({}, {}, stranger)), [403, 403]);
        const unknown = await makeKey();
        const statuses = await processes.statuses(await provider.token({}, {}, unknown));
        for (const status of statuses) assert.ok([403, 503].includes(status), `${status}`);
      }
    } finally {
      await processes.stop();
    }
  });
});
