import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sectionOf, settingsIn } from '../support/commands/documented-settings.ts';
import { until } from '../support/run/polling.ts';
import { me, newSettings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { call } from './proxied-call.ts';
import { startProxy } from './proxies.ts';

const provider = await TestProvider.down();
const documented = settingsIn(sectionOf('docs/proxies.md', 'The service'));
const service = await startService(await newSettings('sqlite', { ...provider.settings, ...documented }));
const proxy = await startProxy('haproxy', service);
after(async () => {
  await provider.stop();
  await service.stop();
  await proxy.stop();
});

it('HAProxy sends no requests to a service that is not ready, until it is', async () => {
  const authorization = `Bearer ${await provider.token()}`;
  const ask = () => call(proxy.httpsUrl + me, { ...proxy, headers: { authorization } });
  const refused = await until(
    ask,
    ({ headers }) => headers.get('content-type') === 'text/html',
    'it still asks the service',
  );
  assert.equal(refused.status, 503);
  await provider.comeBack();
  // Enough time for the next fetch of the keys.
  await service.advance(60_000);
  await until(ask, ({ status }) => status === 200, 'the service is not taken in');
});
