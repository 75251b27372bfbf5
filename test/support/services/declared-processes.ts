import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { ApiCaller } from '../http/api-caller.ts';
import { request } from '../http/request.ts';
import { until } from '../run/polling.ts';
import { surroundings } from '../run/surroundings.ts';
import type { Claims } from '../tokens/provider.ts';
import { type Credentials, tokenOf } from '../tokens/token-endpoint.ts';
import { Processes } from './processes.ts';
import type { ClockedService, DatabaseEngine, Settings } from './service.ts';

/** Declarations in YAML, by the name of their collection. */
type Declarations = Readonly<Record<string, string>>;

/** Writes declarations into a folder for COLLECTIONS_DIR. */
export function declarationsFolder(declarations: Declarations): string {
  const folder = `${surroundings().runDirectory}/declarations/${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(declarations)) writeFileSync(`${folder}/${name}.yaml`, text);
  return folder;
}

/** Processes with declared collections on one database, and their callers. */
export class DeclaredProcesses {
  readonly processes: Processes;
  #callers = 0;

  constructor(processes: Processes) {
    this.processes = processes;
  }

  get services(): readonly ClockedService[] {
    return this.processes.services;
  }

  /** The process for the task with this index, round-robin. */
  service(index: number): ClockedService {
    return this.services[index % this.services.length] as ClockedService;
  }

  /** A user with a new token, at the first process; a new user unless the claims name one. */
  async person(claims: Claims = {}): Promise<ApiCaller> {
    this.#callers += 1;
    const token = await this.processes.provider.token({ sub: `somebody ${this.#callers}`, ...claims });
    return new ApiCaller(this.service(0).url, token);
  }

  /** A client of POST /token with a new token, at the first process. */
  async machine(credentials: Credentials): Promise<ApiCaller> {
    const { url } = this.service(0);
    return new ApiCaller(url, await tokenOf(url, credentials));
  }

  /** Moves all clocks and waits until all processes are ready. */
  async advance(milliseconds: number): Promise<void> {
    this.processes.provider.aheadMs += milliseconds;
    await this.processes.advance(milliseconds);
    for (const { opsUrl } of this.services) {
      await until(
        async () =>
          (await request(`${opsUrl}/readyz`)).json<{ provider_keys: { next_fetch_in_seconds: number } }>(),
        ({ provider_keys: keys }) => keys.next_fetch_in_seconds > 0,
        'a fetch of the keys does not come to an end',
      );
    }
  }

  /** Moves to the start of the next window of this length, so that no window ends during a test. */
  async nextWindow(milliseconds: number): Promise<void> {
    await this.advance(milliseconds - (this.processes.now() % milliseconds));
  }
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The processes for all tests of a suite. */
export function declaredProcesses(
  engine: DatabaseEngine,
  count: number,
  declarations: Declarations,
  overrides: Settings = {},
): () => DeclaredProcesses {
  let declared: DeclaredProcesses | undefined;
  before(async () => {
    const COLLECTIONS_DIR = declarationsFolder(declarations);
    const settings = { COLLECTIONS_DIR, READS_PER_MINUTE: '100000', ...overrides };
    declared = new DeclaredProcesses(await Processes.start(engine, count, settings));
  });
  after(() => declared?.processes.stop());
  return () => declared as DeclaredProcesses;
}

/** Runs this many tasks at once. */
export function atOnce<T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => task(index)));
}
