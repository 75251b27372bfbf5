import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sectionOf, settingsIn } from '../support/commands/documented-settings.ts';
import type { Reply } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newSettings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { call } from './proxied-call.ts';
import { startProxy } from './proxies.ts';

const notes = `
schema: { properties: { text: { type: string, maxLength: 50 } } }
limits: { per_user: 100000, writes: 100000/min }`;
const prefix = '/api/consumer/v1';

const provider = await TestProvider.start();
const common = await newSettings('postgres', {
  ...provider.settings,
  ...settingsIn(sectionOf('docs/proxies.md', 'The service')),
  COLLECTIONS_DIR: declarationsFolder({ notes }),
  READS_PER_MINUTE: '100000',
  // HAProxy checks every second and reacts to the second result.
  DRAIN_SECONDS: '3',
});
const startOne = async () =>
  startService({ ...common, PORT: String(await freePort()), OPS_PORT: String(await freePort()) });
const services = await Promise.all([startOne(), startOne(), startOne()]);
const [first, ...more] = services;
const proxy = await startProxy('haproxy', first, more);
after(async () => {
  await proxy.stop();
  await Promise.all(services.map((service) => service.stop()));
  await provider.stop();
});

it('[G187] a rolling restart of three processes behind HAProxy under load fails no request', async () => {
  const authorization = `Bearer ${await provider.token()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const ask = (path: string, body?: string): Promise<Reply> =>
    call(`${proxy.httpsUrl}${prefix}${path}`, { ...proxy, headers, ...(body && { method: 'POST', body }) });
  await until(async () => (await ask('/me')).status, 200, 'nobody is served');
  const made: string[] = [];
  const failures: string[] = [];
  let isOver = false;
  let reads = 0;
  const load = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      try {
        const [read, write] = [await ask('/me'), await ask('/notes', '{"text":"x"}')];
        if (read.status !== 200) failures.push(`/me: ${read.status} ${read.text}`);
        else reads += 1;
        if (write.status !== 201) failures.push(`/notes: ${write.status} ${write.text}`);
        else made.push(write.json<{ id: string }>().id);
      } catch (error) {
        failures.push(String(error));
      }
    }
  });
  for (const [index, { settings, opsUrl, stop }] of services.entries()) {
    await stop();
    services[index] = await startService(settings);
    await until(async () => (await fetch(`${opsUrl}/readyz`)).status, 200, 'it does not get ready');
    // Wait until HAProxy has seen it ("rise 1", every second) before the next restart.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  isOver = true;
  await Promise.all(load);
  assert.deepEqual(failures, []);
  assert.ok(reads > 100, `${reads} reads`);
  const found = new Set<string>();
  for (let next: string | null = ''; next !== null; ) {
    const page: { items: { id: string }[]; next: string | null } = (
      await ask(`/notes?limit=200${next === '' ? '' : `&cursor=${next}`}`)
    ).json();
    for (const { id } of page.items) found.add(id);
    next = page.next;
  }
  assert.equal(found.size, made.length, 'each write once');
  const lost = made.filter((id) => !found.has(id));
  assert.deepEqual(lost, []);
});
