import { after, before } from 'node:test';
import { TestProvider } from '../tokens/provider.ts';
import { newSettings, type Service, type Settings, startService } from './service.ts';

export interface OneService {
  readonly service: Service;
  readonly provider: TestProvider;
}

/** One service on SQLite with a provider of its own, for all tests of a suite or file. */
export function oneService(
  overrides: Settings = {},
  prepare: (settings: Settings, provider: TestProvider) => void | Promise<void> = () => {},
): () => OneService {
  let provider: TestProvider;
  let service: Service;
  before(async () => {
    provider = await TestProvider.start();
    const settings = await newSettings('sqlite', { ...provider.settings, ...overrides });
    await prepare(settings, provider);
    service = await startService(settings);
  });
  // The provider first: it is there even when the service did not start.
  after(async () => {
    await provider.stop();
    await service.stop();
  });
  return () => ({ service, provider });
}
