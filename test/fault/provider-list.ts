import { writeFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { me, newSettings, type Service, type Settings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

interface ProviderState {
  readonly usable_keys: number;
  readonly next_fetch_in_seconds: number;
  readonly last_fault: string | null;
}

export interface Ready {
  readonly status: string;
  readonly checks: { readonly provider_keys: string };
  readonly providers: Readonly<Record<string, ProviderState>>;
}

/** IDPS_FILE with an entry for each of these providers, by name. */
export function listOf(settings: Settings, providers: Readonly<Record<string, TestProvider>>): Settings {
  const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
  const entries = Object.entries(providers).map(
    ([name, { origin }]) => `- name: ${name}\n  origin: ${origin}\n  jwks_path: /jwks\n`,
  );
  writeFileSync(file, entries.join(''));
  return { ...settings, IDPS_FILE: file };
}

/** A service with two providers; the test moves their clocks together. */
export class TwoProviders {
  readonly one: TestProvider;
  readonly other: TestProvider;
  readonly service: Service;

  constructor(one: TestProvider, other: TestProvider, service: Service) {
    this.one = one;
    this.other = other;
    this.service = service;
  }

  static async start(more: Settings = {}): Promise<TwoProviders> {
    const [one, other] = [await TestProvider.start(), await TestProvider.start()];
    const settings = listOf(await newSettings('sqlite', { ...more }), { one, other });
    try {
      const two = new TwoProviders(one, other, await startService(settings));
      await two.settle();
      return two;
    } catch (error) {
      await Promise.all([one.stop(), other.stop()]);
      throw error;
    }
  }

  me(token: string): Promise<Reply> {
    return withToken(`${this.service.url}${me}`, token);
  }

  async ready(): Promise<Ready & { readonly httpStatus: number }> {
    const reply = await request(`${this.service.opsUrl}/readyz`);
    return { ...reply.json<Ready>(), httpStatus: reply.status };
  }

  async advance(milliseconds: number): Promise<void> {
    this.one.aheadMs += milliseconds;
    this.other.aheadMs += milliseconds;
    await this.service.advance(milliseconds);
    await this.settle();
  }

  /** Waits until no fetch is due or under way. */
  async settle(): Promise<void> {
    await until(
      () => this.ready(),
      ({ providers }) => Object.values(providers).every((state) => state.next_fetch_in_seconds > 0),
      'a fetch of the keys does not come to an end',
    );
  }

  /** The lines of a metric of each provider. */
  async metric(name: string, labels = ''): Promise<Readonly<Record<string, number>>> {
    const lines = (await this.service.metrics()).split('\n');
    const values = ['one', 'other'].map((provider) => {
      const start = `${name}{provider="${provider}"${labels}} `;
      const line = lines.find((text) => text.startsWith(start));
      return [provider, line === undefined ? 0 : Number(line.slice(start.length))] as const;
    });
    return Object.fromEntries(values);
  }

  async stop(): Promise<void> {
    await Promise.all([this.one.stop(), this.other.stop()]);
    await this.service.stop();
  }
}

/** Such a service for all tests of a suite. */
export function twoProviders(more: Settings = {}): () => TwoProviders {
  let two: TwoProviders;
  before(async () => {
    two = await TwoProviders.start(more);
  });
  after(() => two?.stop());
  return () => two;
}
