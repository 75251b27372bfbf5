import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Release } from '../support/databases/future-steps.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { ApiCaller, type WireRecord } from '../support/http/api-caller.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  newSettings,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const lookEveryMs = 50;
/** A process that does not report within that time is not ready. */
const answerWithinMs = 1_000;

interface Process {
  readonly service: Service;
  isReady: boolean;
  isStopping: boolean;
  requests: number;
}

/** A load balancer: checks which processes are ready, and sends requests to them. */
class ReadyProcesses {
  readonly #all = new Set<Process>();
  #next = 0;
  /** Processes that were not ready although they were not being stopped. */
  readonly unready: string[] = [];

  /** Takes a process in, once it is ready. */
  async add(service: Service): Promise<void> {
    const one: Process = { service, isReady: false, isStopping: false, requests: 0 };
    this.#all.add(one);
    void this.#watch(one);
    await until(() => one.isReady, Boolean, 'it does not become ready');
  }

  /** Lets a process stop as an operator would. It has answered something by then. */
  async stop(service: Service): Promise<void> {
    const one = [...this.#all].find((process) => process.service === service) as Process;
    const requests = () => one.requests;
    await until(requests, (requests) => requests > 0, 'nobody has asked it');
    one.isStopping = true;
    await service.stop();
    this.#all.delete(one);
  }

  async stopAll(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    for (const { service } of all) await service.stop();
  }

  /** Where the next request goes. */
  pick(): string {
    const ready = [...this.#all].filter(({ isReady }) => isReady);
    this.#next += 1;
    const one = ready[this.#next % ready.length];
    if (one === undefined) throw new Error('no process is ready');
    one.requests += 1;
    return one.service.url;
  }

  async #watch(one: Process): Promise<void> {
    while (this.#all.has(one)) {
      const { status, text } = await this.#ask(one.service);
      if (one.isReady && status === 503 && !one.isStopping) this.unready.push(text);
      one.isReady = status === 200;
      await pause(lookEveryMs);
    }
  }

  async #ask({ opsUrl }: Service): Promise<{ readonly status: number; readonly text: string }> {
    try {
      return await request(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) });
    } catch {
      return { status: 0, text: '' };
    }
  }
}

/** An example without its limits on writes. */
const declared = (name: string) =>
  readFileSync(`collections/${name}.yaml`, 'utf8').replace(
    /^limits:.*$/m,
    'limits: { per_user: 1000000, writes: 1000000/min }',
  );

/** A caller that reads and writes all the time, at any process that is ready. */
class Load {
  readonly failures: string[] = [];
  readonly made: string[] = [];
  requests = 0;
  isOver = false;
  readonly #processes: ReadyProcesses;
  readonly #token: string;

  constructor(processes: ReadyProcesses, token: string) {
    this.#processes = processes;
    this.#token = token;
  }

  caller(): ApiCaller {
    return new ApiCaller(this.#processes.pick(), this.#token);
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      const made = await this.#send('POST', '/notes', 201, { text: `number ${this.requests}` });
      if (made !== null) {
        this.made.push(made.id);
        await this.#send('GET', `/notes/${made.id}`, 200);
        await this.#send('PATCH', `/notes/${made.id}`, 200, { done: true });
      }
      await this.#send('GET', '/me', 200);
      await this.#send('GET', '/notes?limit=5', 200);
      await this.#send('GET', '/events?after=0', 200);
      await pause(20);
    }
  }

  async #send(method: string, path: string, expected: number, body?: object): Promise<WireRecord | null> {
    this.requests += 1;
    try {
      const reply = await this.caller().send(method, path, body);
      if (reply.status === expected) return reply.json<WireRecord>();
      this.failures.push(`${method} ${path}: ${reply.status} ${reply.text}`);
    } catch (error) {
      this.failures.push(`${method} ${path}: ${(error as Error).message}`);
    }
    return null;
  }
}

async function upgradeAndBack(engine: DatabaseEngine, provider: TestProvider) {
  const settings: Settings = await newSettings(engine, {
    ...provider.settings,
    COLLECTIONS_DIR: declarationsFolder({ notes: declared('notes'), bookings: declared('bookings') }),
    READS_PER_MINUTE: '1000000',
    DRAIN_SECONDS: '2',
    LOG_LEVEL: 'info',
  });
  const processes = new ReadyProcesses();
  const token = await provider.token({ sub: 'writer' });
  const load = new Load(processes, token);
  const start = async (release: Release) => {
    const service = await startService(settings, { release });
    await processes.add(service);
    return service;
  };
  try {
    const old = [await start('now'), await start('now')] as const;
    const running = Promise.all(Array.from({ length: 3 }, () => load.run()));
    await pause(300);

    // Forward: the first of the next release migrates, and an old one goes and comes back in the middle.
    const first = await start('next');
    await processes.stop(old[0]);
    const back = await start('now');
    const second = await start('next');
    await processes.stop(old[1]);
    await processes.stop(back);
    await pause(300);
    const expanded = await plainSql(settings).tables();

    // Rollback.
    await start('now');
    await processes.stop(first);
    await start('now');
    await processes.stop(second);
    await pause(300);

    load.isOver = true;
    await running;
    const notes = await load.caller().all('notes');
    return { load, notes, expanded, unready: processes.unready };
  } finally {
    load.isOver = true;
    await processes.stopAll();
  }
}

for (const engine of databaseEngines) {
  describe(`a rolling upgrade and its rollback, on ${engine}`, () => {
    it('[F166] no request fails; old processes stay ready and restart with the newer schema', async (t) => {
      const provider = await TestProvider.start();
      try {
        const { load, notes, expanded, unready } = await upgradeAndBack(engine, provider);
        t.diagnostic(`${load.requests} requests, ${load.made.length} records made`);
        assert.deepEqual(load.failures.slice(0, 10), []);
        assert.deepEqual(unready, []);
        assert.ok(expanded.includes('future_copies'), 'the next release has migrated');
        const ids = new Set(notes.map(({ id }) => id));
        const lost = load.made.filter((id) => !ids.has(id));
        assert.deepEqual(lost, []);
        assert.ok(load.made.length > 50, `${load.made.length} records`);
      } finally {
        await provider.stop();
      }
    });
  });
}
