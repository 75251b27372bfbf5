import { once } from 'node:events';
import { until } from '../support/run/polling.ts';
import { ownProcess, type Service, type Settings, startService } from '../support/services/service.ts';
import type { Tally } from './tally.ts';

const errorLevel = 50;

/** The processes of the service on one database, which are killed and come back. */
export class ServiceProcesses {
  readonly #settings: Settings;
  readonly #tally: Tally;
  readonly #services: Service[] = [];

  constructor(settings: Settings, tally: Tally) {
    this.#settings = { ...settings, ...ownProcess };
    this.#tally = tally;
  }

  get numbers(): number[] {
    return [...this.#services.keys()];
  }

  origin(index: number): string {
    return this.at(index).url;
  }

  at(index: number): Service {
    return this.#services[index] as Service;
  }

  /** Starts the one of that number, for the first time or again. */
  async start(index: number): Promise<void> {
    const service = await this.#tryToStart();
    this.#services[index] = service;
    this.#tally.starts += 1;
    await this.#becomeReady(service);
  }

  /** All of them, by themselves: their database was away. */
  async getReady(): Promise<void> {
    await Promise.all(this.#services.map((service) => this.#becomeReady(service)));
  }

  async #becomeReady({ opsUrl }: Service): Promise<void> {
    const isReady = async () => (await fetch(`${opsUrl}/readyz`)).status === 200;
    await until(isReady, Boolean, 'it does not become ready');
  }

  /** A process that does not start is a finding; the next one may start. */
  async #tryToStart(attempts = 3): Promise<Service> {
    try {
      return await startService(this.#settings);
    } catch (error) {
      if (attempts === 1) throw error;
      this.#tally.find('start', String(error));
      return this.#tryToStart(attempts - 1);
    }
  }

  /** Without a warning, and until it is gone. */
  async kill(index: number): Promise<void> {
    const { process } = this.at(index);
    const closed = once(process, 'close');
    process.kill('SIGKILL');
    await closed;
    this.#tally.kills += 1;
    this.#readLog(this.at(index));
  }

  async stop(): Promise<void> {
    for (const service of this.#services) {
      await service.stop();
      this.#readLog(service);
    }
  }

  /** Every internal error is in the log, even if no caller was told. An unavailable database is expected. */
  #readLog(service: Service): void {
    const isKnown = ({ error_code: code }: Record<string, unknown>) =>
      this.#tally.databaseKills > 0 && code === 'storage_unavailable';
    for (const line of service.logLines())
      if (Number(line.level) >= errorLevel && !isKnown(line)) this.#tally.find('start', JSON.stringify(line));
  }
}
