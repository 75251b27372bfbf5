import { after, before } from 'node:test';
import { freePort } from '../run/ports.ts';
import { TestProvider } from '../tokens/provider.ts';
import type { OneService } from './one-service.ts';
import { newSettings, type Service, type Settings, startService } from './service.ts';

/**
 * One service on SQLite that is reached at the very address it is known by, for all tests of a suite: standard clients
 * go where its documents send them, and believe only what was found there.
 */
export function addressedService(
  overrides: Settings = {},
  prepare: (settings: Settings) => Promise<void> = async () => {},
): () => OneService {
  let provider: TestProvider;
  let service: Service;
  before(async () => {
    provider = await TestProvider.start();
    const settings = await newSettings('sqlite', { ...provider.settings, ...overrides });
    await prepare(settings);
    const port = String(await freePort());
    service = await startService({ ...settings, PORT: port, BASE_URL: `http://127.0.0.1:${port}` });
  });
  // The provider first: it is there even when the service did not start.
  after(async () => {
    await provider.stop();
    await service.stop();
  });
  return () => ({ service, provider });
}
