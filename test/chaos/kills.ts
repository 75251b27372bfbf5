import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { OwnPostgres } from '../support/databases/own-postgres.ts';
import { createDatabase, pooledByItself } from '../support/databases/postgres.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { addClient, type DatabaseEngine, fileOf, newSettings } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { Caller, newAgent } from './caller.ts';
import { Checker } from './checker.ts';
import { Tally } from './journal.ts';
import { LogFollower } from './log-follower.ts';
import { Population } from './population.ts';
import { ServiceProcesses } from './service-processes.ts';
import { declarations, Round } from './work.ts';

export interface KillOptions {
  readonly database: DatabaseEngine;
  readonly kills: number;
  readonly processes: number;
  /** How often PostgreSQL itself is killed, besides the processes. */
  readonly databaseKills?: number;
  /** The most that is acknowledged before a kill. */
  readonly maxAcknowledged?: number;
  readonly seed: number;
  /** Asked after each round. */
  readonly isOver?: () => boolean;
  readonly onProgress?: (line: string) => void;
}

export interface KillResult {
  readonly tally: Tally;
  /** How often PostgreSQL has seen two transactions wait for each other; null on SQLite. */
  readonly deadlocks: number | null;
}

/** The longest that it may take until a kill. */
const longestRoundMs = 5_000;
/** Where in the batch after that it is killed. */
const longestDelayMs = 25;
const killsOfPopulation = 5;

/**
 * Everybody writes to all processes at once, and at a moment that chance decides one of them, or all, are killed. They
 * come back, and everything that was acknowledged is looked for.
 */
export async function killAndCheck(options: KillOptions): Promise<KillResult> {
  const { database, kills, seed, databaseKills = 0, maxAcknowledged = 600, onProgress = () => {} } = options;
  const { isOver = () => false } = options;
  const random = new PseudoRandom(seed);
  const tally = new Tally();
  const checker = new Checker(tally);
  const agent = newAgent();
  const provider = await TestProvider.start();
  const server = databaseKills > 0 ? await OwnPostgres.start() : null;
  const own = server === null ? null : await pooledByItself(await createDatabase(server.url));
  const settings = await newSettings(database, {
    ...provider.settings,
    ...(own === null ? {} : { DATABASE_URL: own.url }),
    COLLECTIONS_DIR: declarationsFolder(declarations),
    LOG_LEVEL: 'info',
    NEWCOMERS_PER_HOUR: '0',
    READS_PER_MINUTE: '1000000',
    TOKEN_TTL_SECONDS: '86400',
  });
  const secret = await addClient(settings, 'machine');
  const processes = new ServiceProcesses(settings, tally);
  const populations: Population[] = [];
  /** Both numbers are reached at about the same time. */
  const databaseShare = databaseKills / (databaseKills + kills);
  const numbers = Array.from({ length: options.processes }, (_, index) => index);
  try {
    await Promise.all(numbers.map((index) => processes.start(index)));
    const machineToken = await tokenOf(processes.origin(0), { id: 'machine', secret });
    const follower = new LogFollower(
      tally,
      (index) => new Caller(processes.origin(index), machineToken, agent),
    );
    let rounds = 0;
    while (!isOver() && (tally.kills < kills || tally.databaseKills < databaseKills)) {
      if (rounds >= populations.length * killsOfPopulation)
        populations.push(await Population.make({ processes, provider, machineToken, agent }));
      const population = populations.at(-1) as Population;
      const round = new Round(random, tally);
      const writing = Promise.all([population.run(round), follower.run(random.pick(numbers), round)]);
      rounds += 1;
      const isDatabase = server !== null && random.next() < databaseShare;
      const victims = isDatabase ? [] : random.next() < 0.7 ? [random.pick(numbers)] : numbers;
      await Promise.race([someMoment(random, tally, maxAcknowledged), writing]);
      for (const index of victims) round.killed.add(index);
      round.isDatabaseKilled = isDatabase;
      round.isOver = true;
      if (isDatabase) await server.kill();
      await Promise.all(victims.map((index) => processes.kill(index)));
      await writing;
      if (isDatabase) {
        tally.databaseKills += 1;
        await server.startAgain();
        await processes.getReady();
      }
      await Promise.all(victims.map((index) => processes.start(index)));
      await population.check(checker, follower);
      onProgress(
        `${tally.kills} and ${tally.databaseKills} kills, ${tally.acknowledged} writes acknowledged, ${tally.findings.length} findings`,
      );
    }
    for (const population of populations) await population.check(checker, follower);
    if (follower.missing > tally.mayBeMissing)
      tally.find(
        'event',
        `${follower.missing} positions are missing, of erased callers at most ${tally.mayBeMissing}`,
      );
  } finally {
    agent.destroy();
    await provider.stop();
    await processes.stop();
  }
  if (database === 'sqlite') checkFile(fileOf(settings), tally);
  const deadlocks = database === 'postgres' ? await deadlocksOf(settings.DATABASE_URL) : null;
  await own?.stop();
  await server?.remove();
  return { tally, deadlocks };
}

/** SQLite's own opinion of a file that was left in the middle of something so many times. */
function checkFile(file: string, tally: Tally): void {
  using database = new DatabaseSync(file, { readOnly: true });
  const [row] = database.prepare('pragma integrity_check').all();
  if (row?.integrity_check !== 'ok') tally.find('lost', `the file: ${row?.integrity_check}`);
}

async function someMoment(random: PseudoRandom, tally: Tally, maxAcknowledged: number): Promise<void> {
  const goal = tally.acknowledged + random.below(maxAcknowledged);
  const deadline = performance.now() + longestRoundMs;
  while (tally.acknowledged < goal && performance.now() < deadline) await pause(5);
  await pause(random.below(longestDelayMs));
}

async function deadlocksOf(url: string | undefined): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  await client.end();
  return Number(rows[0].deadlocks);
}
