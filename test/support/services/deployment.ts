import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { succeeded } from '../commands/outcome.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { type Reply, request, withToken } from '../http/request.ts';
import { until } from '../run/polling.ts';
import { freePort } from '../run/ports.ts';
import { type Claims, TestProvider } from '../tokens/provider.ts';
import { type Credentials, credentialsBody, postToken, tokenOf } from '../tokens/token-endpoint.ts';
import { declarationsFolder } from './declarations.ts';
import {
  addClient,
  type DatabaseEngine,
  me,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from './service.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** What a deployment differs in from one process on SQLite without collections. */
export interface Profile {
  readonly engine?: DatabaseEngine;
  readonly processes?: number;
  /** Declarations in YAML by collection, or their folder. With them, callers may send as many requests as a test needs. */
  readonly declarations?: Readonly<Record<string, string>> | string;
  readonly settings?: Settings;
  /** Clients of POST /token and their scopes. */
  readonly clients?: Readonly<Record<string, readonly string[]>>;
  /** BASE_URL is where the process listens: standard clients go where its documents send them. */
  readonly isAddressed?: boolean;
  readonly prepare?: (settings: Settings, provider: TestProvider) => void | Promise<void>;
  /** The tests begin once the first fetch of the provider's keys is over. */
  readonly hasKeys?: boolean;
}

/** Processes of the service on one database, their provider and their callers. A test moves all clocks together. */
export class Deployment {
  readonly provider: TestProvider;
  readonly settings: Settings;
  readonly services: Service[];
  readonly #clients = new Map<string, Credentials>();
  #aheadMs = 0;
  #people = 0;

  constructor(provider: TestProvider, settings: Settings, services: Service[] = []) {
    this.provider = provider;
    this.settings = settings;
    this.services = services;
  }

  /** Starts all processes at once, on a new database. If one fails, stops the others, which would keep the tests from ending. */
  static async start(profile: Profile = {}): Promise<Deployment> {
    const { engine = 'sqlite', processes = 1, clients = {}, prepare, hasKeys = false } = profile;
    const provider = await TestProvider.start();
    const overrides = { ...provider.settings, ...(await settingsOf(profile)) };
    const deployment = new Deployment(provider, await newSettings(engine, overrides));
    const { settings, services } = deployment;
    try {
      for (const [id, scopes] of Object.entries(clients)) await deployment.addClient(id, scopes);
      await prepare?.(settings, provider);
      const starting = await Promise.allSettled(
        Array(processes)
          .fill(settings)
          .map((own) => startService(own)),
      );
      for (const started of starting) if (started.status === 'fulfilled') services.push(started.value);
      for (const started of starting) if (started.status === 'rejected') throw started.reason;
      if (hasKeys) await deployment.settle();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    try {
      await Promise.all(this.services.map((service) => service.stop()));
    } finally {
      await this.provider.stop();
    }
  }

  get service(): Service {
    return this.serviceAt(0);
  }

  /** The process for the task with this index, round-robin. */
  serviceAt(index: number): Service {
    return this.services[index % this.services.length] ?? assert.fail('No process has started.');
  }

  /** Stops a process and starts it again, so much later, with the clock of the others. */
  async restart(
    index = 0,
    { changes = {}, afterMs = 0 }: { readonly changes?: Settings; readonly afterMs?: number } = {},
  ): Promise<void> {
    await this.services[index]?.stop();
    this.#pass(afterMs);
    this.services[index] = await startService({ ...this.settings, ...changes }, { aheadMs: this.#aheadMs });
  }

  /** A user with a new token, at the first process; a new user unless the claims name one. */
  async person(claims: Claims = {}): Promise<ApiCaller> {
    this.#people += 1;
    const token = await this.provider.token({ sub: `person ${this.#people}`, ...claims });
    return new ApiCaller(this.service.url, token);
  }

  /** A client of POST /token with a new token, at the first process. Adds the client if it is new. */
  async machine(id: string): Promise<ApiCaller> {
    const { url } = this.service;
    return new ApiCaller(url, await tokenOf(url, this.#clients.get(id) ?? (await this.addClient(id))));
  }

  client(id: string): Credentials {
    return this.#clients.get(id) ?? assert.fail(`There is no client ${id}. Name it in the profile.`);
  }

  async addClient(id: string, scopes: readonly string[] = []): Promise<Credentials> {
    const credentials = { id, secret: await addClient(this.settings, id, scopes) };
    this.#clients.set(id, credentials);
    return credentials;
  }

  async command(...parameters: string[]): Promise<string> {
    return succeeded(await runVestibule(this.settings, ...parameters));
  }

  async jsonOf<T>(...parameters: string[]): Promise<T> {
    return JSON.parse(await this.command(...parameters, '--json'));
  }

  async audited(action: string) {
    const lines = await this.jsonOf<{ action: string; actor: string; subject: string }[]>('audit');
    return lines.filter((line) => line.action === action);
  }

  /** What the clocks of the processes say. Commands run by the real time. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Moves all clocks. What falls due has begun. */
  async move(milliseconds: number): Promise<void> {
    const whole = Math.ceil(milliseconds);
    this.#pass(whole);
    for (const service of this.services) await service.advance(whole);
  }

  async moveTo(time: number): Promise<void> {
    if (time > this.now()) await this.move(time - this.now());
  }

  /** Moves all clocks and waits until every due fetch of keys has finished. */
  async advance(milliseconds: number): Promise<void> {
    await this.move(milliseconds);
    await this.settle();
  }

  /** Waits until no fetch of keys is due or running. The answer used the database, so fetched keys are stored. */
  async settle(): Promise<void> {
    type Readiness = { provider_keys: { next_fetch_in_seconds: number } };
    for (const { opsUrl } of this.services) {
      const readiness = async () => (await request(`${opsUrl}/readyz`)).json<Readiness>();
      const isSettled = ({ provider_keys: keys }: Readiness) => keys.next_fetch_in_seconds > 0;
      await until(readiness, isSettled, 'a fetch of the keys does not come to an end');
    }
  }

  /** Moves to the start of the next window of this length, so that no window ends during a test. */
  async nextWindow(milliseconds: number): Promise<void> {
    await this.advance(milliseconds - (this.now() % milliseconds));
  }

  #pass(milliseconds: number): void {
    this.#aheadMs += milliseconds;
    this.provider.aheadMs += milliseconds;
  }

  ready(): Promise<Reply> {
    return request(`${this.service.opsUrl}/readyz`);
  }

  me(token: string): Promise<Reply> {
    return withToken(this.service.url + me, token);
  }

  meAtEach(token: string): Promise<Reply[]> {
    return Promise.all(this.services.map(({ url }) => withToken(url + me, token)));
  }

  async statuses(token: string): Promise<number[]> {
    return (await this.meAtEach(token)).map(({ status }) => status);
  }

  async letIn(tokens: readonly string[]): Promise<void> {
    for (const token of tokens)
      for (const reply of await this.meAtEach(token)) assert.equal(reply.status, 200, reply.text);
  }

  become(status: number, token: string, deadlineMs?: number): Promise<Reply[]> {
    const isSo = (replies: Reply[]) => replies.every((reply) => reply.status === status);
    return until(() => this.meAtEach(token), isSo, `/me does not become ${status} everywhere`, deadlineMs);
  }

  postTokens(credentials: Credentials): Promise<Reply[]> {
    return Promise.all(this.services.map(({ url }) => postToken(url, credentialsBody(credentials))));
  }

  tokens(credentials: Credentials): Promise<string[]> {
    return Promise.all(this.services.map(({ url }) => tokenOf(url, credentials)));
  }
}

async function settingsOf({ declarations, isAddressed, settings = {} }: Profile): Promise<Settings> {
  const port = isAddressed ? String(await freePort()) : null;
  const folder = typeof declarations === 'object' ? declarationsFolder(declarations) : declarations;
  return {
    ...(folder === undefined
      ? {}
      : { COLLECTIONS_DIR: folder, READS_PER_MINUTE: '1000000', REFUSALS_PER_MINUTE: '1000000' }),
    ...(port === null ? {} : { PORT: port, BASE_URL: `http://127.0.0.1:${port}` }),
    ...settings,
  };
}

export function deployment(profile: Profile | (() => Promise<Profile>) = {}): () => Deployment {
  let started: Deployment | undefined;
  before(async () => {
    started = await Deployment.start(typeof profile === 'function' ? await profile() : profile);
  });
  after(() => started?.stop());
  return () => started ?? assert.fail('The deployment has not started.');
}

export function atOnce<T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => task(index)));
}
