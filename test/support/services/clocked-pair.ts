import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type Reply, request, withToken } from '../http/request.ts';
import { until } from '../run/polling.ts';
import { TestProvider } from '../tokens/provider.ts';
import {
  type ClockedService,
  type DatabaseEngine,
  me,
  newSettings,
  type Settings,
  startService,
} from './service.ts';

interface Preparation {
  readonly engine?: DatabaseEngine;
  readonly settings?: Settings;
  /** Before the service starts. */
  readonly prepare?: (provider: TestProvider, settings: Settings) => void | Promise<void>;
  /** Once the first fetch is over. */
  readonly begin?: (pair: ClockedPair) => Promise<void>;
}

/** A service and its provider, whose clocks a test moves together. */
export class ClockedPair {
  readonly provider: TestProvider;
  service: ClockedService;

  constructor(provider: TestProvider, service: ClockedService) {
    this.provider = provider;
    this.service = service;
  }

  static async start({ engine = 'sqlite', settings = {}, prepare }: Preparation = {}): Promise<ClockedPair> {
    const provider = await TestProvider.start();
    const all = await newSettings(engine, { ...provider.settings, ...settings });
    await prepare?.(provider, all);
    try {
      return new ClockedPair(provider, await startService(all, { clocked: true }));
    } catch (error) {
      await provider.stop();
      throw error;
    }
  }

  me(token: string): Promise<Reply> {
    return withToken(`${this.service.url}${me}`, token);
  }

  /** The distinct statuses of /me for new tokens of this many simultaneous callers. */
  async statusesOfNew(count: number): Promise<number[]> {
    const tokens = Array.from({ length: count }, (_, index) =>
      this.provider.token({ sub: `caller ${index}` }),
    );
    const replies = await Promise.all(tokens.map(async (token) => this.me(await token)));
    return [...new Set(replies.map(({ status }) => status))];
  }

  ready(): Promise<Reply> {
    return request(`${this.service.opsUrl}/readyz`);
  }

  /** Moves both clocks and waits until every due fetch has finished. */
  async advance(milliseconds: number): Promise<void> {
    await this.move(milliseconds);
    await this.settle();
  }

  /** Moves both clocks; a due fetch has just begun. */
  async move(milliseconds: number): Promise<void> {
    const whole = Math.ceil(milliseconds);
    this.provider.aheadMs += whole;
    await this.service.advance(whole);
  }

  /** Waits until no fetch is due or running. The answer used the database, so fetched keys are stored. */
  async settle(): Promise<void> {
    await until(
      async () => (await this.ready()).json<{ provider_keys: { next_fetch_in_seconds: number } }>(),
      ({ provider_keys: keys }) => keys.next_fetch_in_seconds > 0,
      'a fetch of the keys does not come to an end',
    );
  }

  /** Moves ten minutes ahead, the default interval between key fetches. */
  async refresh(): Promise<void> {
    const before = this.provider.fetches;
    await this.advance(600_000);
    assert.equal(this.provider.fetches, before + 1, 'the keys are fetched again after ten minutes');
  }

  /** Of the keys, those of the one provider. */
  async metric(name: string): Promise<number> {
    const start = `${name.replace(/^(vestibule_jwks_\w+)\{?(.*?)\}?$/, ofTheProvider)} `;
    const line = (await this.service.metrics()).split('\n').find((text) => text.startsWith(start));
    return line === undefined ? 0 : Number(line.slice(start.length));
  }

  /** The faults of every fetch so far, by the log, and how long each waited for the next try. */
  failedFetches(): { fault: string; retryInSeconds: number }[] {
    return this.service
      .logLines()
      .filter(({ msg }) => msg === 'provider keys not fetched')
      .map((line) => ({ fault: String(line.fault), retryInSeconds: Number(line.retry_in_seconds) }));
  }

  /** Restarts the process with the same settings and the clock of the provider. */
  async restart(): Promise<void> {
    const { settings } = this.service;
    await this.service.stop();
    this.service = await this.startAgain(settings);
  }

  /** Starts a process with the provider's clock. */
  startAgain(settings: Settings): Promise<ClockedService> {
    return startService(settings, { clocked: true, aheadMs: this.provider.aheadMs });
  }

  async stop(): Promise<void> {
    try {
      await this.service.stop();
    } finally {
      await this.provider.stop();
    }
  }
}

function ofTheProvider(_: string, metric: string, labels: string): string {
  return `${metric}{provider="provider"${labels === '' ? '' : `,${labels}`}}`;
}

/** One pair for all tests of a suite or file; the first fetch has finished. */
export function clockedPair(preparation: Preparation = {}): () => ClockedPair {
  let pair: ClockedPair | undefined;
  before(async () => {
    pair = await ClockedPair.start(preparation);
    await pair.settle();
    await preparation.begin?.(pair);
  });
  after(() => pair?.stop());
  return () => pair as ClockedPair;
}
