import { DatabaseSync } from 'node:sqlite';
import { plainSql } from '../support/databases/plain-sql.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  addClient,
  type DatabaseEngine,
  fileOf,
  newSettings,
  type Settings,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { type Credentials, tokenOf } from '../support/tokens/token-endpoint.ts';
import { Checker } from './checker.ts';
import { declarations } from './declarations.ts';
import { Journal } from './journal.ts';
import { Log } from './log.ts';
import { machineClient, Population } from './population.ts';
import { ServiceProcesses } from './service-processes.ts';
import { Tally } from './tally.ts';
import { agent, Round } from './work.ts';

interface WorldOptions {
  readonly database: DatabaseEngine;
  readonly processes: number;
  readonly seed: number;
  readonly settings?: Settings;
}

/** The service in some processes, its provider, the people, and what must be true of all that they do. */
export class World {
  readonly random: PseudoRandom;
  readonly tally = new Tally();
  readonly journal = new Journal(this.tally);
  readonly log = new Log(this.tally, this.journal);
  readonly provider: TestProvider;
  readonly settings: Settings;
  readonly processes: ServiceProcesses;
  readonly client: Credentials;
  readonly #checker = new Checker(this.tally, this.journal, this.log);
  readonly #populations: Population[] = [];
  #machineToken = '';

  private constructor(seed: number, provider: TestProvider, settings: Settings, client: Credentials) {
    this.random = new PseudoRandom(seed);
    this.provider = provider;
    this.settings = settings;
    this.client = client;
    this.processes = new ServiceProcesses(settings, this.tally);
  }

  static async start({ database, processes, seed, settings = {} }: WorldOptions): Promise<World> {
    const provider = await TestProvider.start();
    const all = await newSettings(database, {
      ...provider.settings,
      COLLECTIONS_DIR: declarationsFolder(declarations),
      LOG_LEVEL: 'info',
      NEWCOMERS_PER_HOUR: '0',
      READS_PER_MINUTE: '1000000',
      REFUSALS_PER_MINUTE: '1000000',
      TOKEN_TTL_SECONDS: '86400',
      ...settings,
    });
    const client = { id: machineClient, secret: await addClient(all, machineClient) };
    const world = new World(seed, provider, all, client);
    try {
      await Promise.all(Array.from({ length: processes }, (_, index) => world.processes.start(index)));
      world.#machineToken = await tokenOf(world.processes.origin(0), client);
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  newRound(perSecond: number | null = null): Round {
    return new Round(this.random, this.tally, this.journal, perSecond);
  }

  /** So many new people, who take over from those before. */
  async addPeople(size: number): Promise<void> {
    const { processes, provider, log } = this;
    const parts = { processes, provider, machineToken: this.#machineToken, log };
    this.#populations.push(await Population.make(parts, size, this.newRound()));
  }

  async run(round: Round): Promise<void> {
    const population = this.#current();
    const follower = population.station(machineClient, this.random.pick(this.processes.numbers), round);
    await Promise.all([population.run(round), this.log.follow(follower)]);
  }

  /** Looks for everything that was acknowledged, while nobody writes. */
  async check(people: 'current' | 'all'): Promise<void> {
    const round = this.newRound();
    await this.log.catchUp(this.#current().station(machineClient, 0, round));
    const populations = people === 'all' ? this.#populations : [this.#current()];
    for (const population of populations) await population.check(this.#checker, round);
    if (people === 'current') return;
    const what = 'positions that are missing, more than erased callers had';
    this.tally.compare('event', what, Math.max(this.log.missing - this.tally.mayBeMissing, 0), 0);
    if (this.settings.DATABASE_URL?.startsWith('postgres') === true)
      this.tally.compare('answer', 'deadlocks that PostgreSQL saw', await deadlocksOf(this.settings), 0);
  }

  async stop(): Promise<void> {
    agent.destroy();
    await this.provider.stop();
    await this.processes.stop();
    if (this.settings.DATABASE_URL?.startsWith('sqlite') === true) this.#checkFile();
  }

  /** SQLite's own opinion of a file that was left in the middle of something so many times. */
  #checkFile(): void {
    using database = new DatabaseSync(fileOf(this.settings), { readOnly: true });
    const [row] = database.prepare('pragma integrity_check').all();
    this.tally.compare('lost', 'the file', row?.integrity_check, 'ok');
  }

  #current(): Population {
    return this.#populations.at(-1) as Population;
  }
}

async function deadlocksOf(settings: Settings): Promise<number> {
  const all = 'select deadlocks from pg_stat_database where datname = current_database()';
  const [row] = await plainSql(settings).query(all);
  return Number(row?.deadlocks);
}
