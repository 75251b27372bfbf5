import assert from 'node:assert/strict';
import { decodeProtectedHeader, type JWK } from 'jose';
import { succeeded } from '../commands/outcome.ts';
import { type Reply, request, withToken } from '../http/request.ts';
import { until } from '../run/polling.ts';
import { TestProvider } from '../tokens/provider.ts';
import { type Credentials, credentialsBody, postToken, tokenOf } from '../tokens/token-endpoint.ts';
import {
  addClient,
  type ClockedService,
  type DatabaseEngine,
  me,
  newSettings,
  runVestibule,
  type Settings,
  startService,
} from './service.ts';

/** A signing key as `vestibule keys list --json` shows it. */
export interface ListedKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly use: 'signs' | 'next' | 'published' | 'retired';
  readonly created_at: string;
  readonly signs_from: string;
  readonly retires_at: string | null;
}

/** A line of `vestibule audit --json`. */
interface AuditLine {
  readonly action: string;
  readonly actor: string;
  readonly subject: string;
}

/** Processes of `vestibule serve` that share one database, and whose clocks a test moves together. */
export class Processes {
  readonly provider: TestProvider;
  readonly settings: Settings;
  readonly services: ClockedService[];
  #aheadMs = 0;

  constructor(provider: TestProvider, settings: Settings, services: ClockedService[]) {
    this.provider = provider;
    this.settings = settings;
    this.services = services;
  }

  /**
   * All of them at once, on a new database; or none: what has started is stopped when another one fails, and would keep the
   * tests from ending otherwise.
   */
  static async start(engine: DatabaseEngine, count: number, overrides: Settings = {}): Promise<Processes> {
    const provider = await TestProvider.start();
    const settings = await newSettings(engine, { ...provider.settings, ...overrides });
    const starting = await Promise.allSettled(
      Array.from({ length: count }, () => startService(settings, { clocked: true })),
    );
    const services = starting.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const processes = new Processes(provider, settings, services);
    const failure = starting.find((result) => result.status === 'rejected');
    if (failure === undefined) return processes;
    await processes.stop();
    throw failure.reason;
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop()));
    await this.provider.stop();
  }

  /** Another process in the place of this one, with other settings; its clock is where the others are. */
  async replace(index: number, changes: Settings): Promise<void> {
    await this.services[index]?.stop();
    const settings = { ...this.settings, ...changes };
    this.services[index] = await startService(settings, { clocked: true, aheadMs: this.#aheadMs });
  }

  /** The same for the only process, which comes back so much later. */
  async restartAfter(milliseconds: number, changes: Settings): Promise<void> {
    this.#aheadMs += milliseconds;
    await this.replace(0, changes);
  }

  /** What their clocks say. Commands run by the real time. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Time passes for all of them. */
  async advance(milliseconds: number): Promise<void> {
    this.#aheadMs += milliseconds;
    for (const service of this.services) await service.advance(milliseconds);
  }

  async advanceTo(time: number): Promise<void> {
    if (time > this.now()) await this.advance(Math.ceil(time - this.now()));
  }

  async command(...parameters: string[]): Promise<string> {
    return succeeded(await runVestibule(this.settings, ...parameters));
  }

  async jsonOf<T>(...parameters: string[]): Promise<T> {
    return JSON.parse(await this.command(...parameters, '--json'));
  }

  async addClient(id: string): Promise<Credentials> {
    return { id, secret: await addClient(this.settings, id) };
  }

  listedKeys(): Promise<ListedKey[]> {
    return this.jsonOf('keys', 'list');
  }

  /** The lines of the audit of one action. */
  async audited(action: string): Promise<AuditLine[]> {
    const lines = await this.jsonOf<AuditLine[]>('audit');
    return lines.filter((line) => line.action === action);
  }

  /** /me at each of them. */
  me(token: string): Promise<Reply[]> {
    return Promise.all(this.services.map(({ url }) => withToken(url + me, token)));
  }

  /** Each of these tokens gets in at each of them. */
  async letIn(tokens: readonly string[]): Promise<void> {
    for (const token of tokens)
      for (const reply of await this.me(token)) assert.equal(reply.status, 200, reply.text);
  }

  async statuses(token: string): Promise<number[]> {
    return (await this.me(token)).map(({ status }) => status);
  }

  /** POST /token at each of them. */
  postTokens(credentials: Credentials): Promise<Reply[]> {
    return Promise.all(this.services.map(({ url }) => postToken(url, credentialsBody(credentials))));
  }

  /** A new token from each of them. */
  tokens(credentials: Credentials): Promise<string[]> {
    return Promise.all(this.services.map(({ url }) => tokenOf(url, credentials)));
  }

  /** The names of the keys that each of them signs with now, without repetition. */
  async signingKids(credentials: Credentials): Promise<unknown[]> {
    const tokens = await this.tokens(credentials);
    return [...new Set(tokens.map((token) => decodeProtectedHeader(token).kid))];
  }

  /** What each of them publishes. */
  published(): Promise<JWK[][]> {
    return Promise.all(
      this.services.map(async ({ url }) => {
        const reply = await request(`${url}/.well-known/jwks.json`);
        return reply.json<{ keys: JWK[] }>().keys;
      }),
    );
  }

  /** The names of the keys that each of them publishes. */
  async publishedKids(): Promise<unknown[][]> {
    return (await this.published()).map((keys) => keys.map(({ kid }) => kid));
  }

  /** Once all of them publish so many keys: the names, oldest first. */
  async publish(count: number): Promise<string[]> {
    const [kids] = await until(
      () => this.publishedKids(),
      (all) => all.every(({ length }) => length === count),
      `not all processes publish ${count} keys`,
    );
    return kids as string[];
  }

  /** Once all of them answer /me with this status. */
  become(status: number, token: string): Promise<Reply[]> {
    return until(
      () => this.me(token),
      (replies) => replies.every((reply) => reply.status === status),
      `/me does not become ${status} everywhere`,
    );
  }
}
