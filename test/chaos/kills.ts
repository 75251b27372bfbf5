import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { declarationsFolder } from '../support/declared-processes.ts';
import { TestProvider } from '../support/provider.ts';
import { PseudoRandom } from '../support/pseudo-random.ts';
import { addClient, type DatabaseEngine, newSettings } from '../support/service.ts';
import { tokenOf } from '../support/token-endpoint.ts';
import { newAgent } from './caller.ts';
import { Checker } from './checker.ts';
import { Tally } from './journal.ts';
import { Population } from './population.ts';
import { ServiceProcesses } from './service-processes.ts';
import { declarations, Round } from './work.ts';

export interface KillOptions {
  readonly database: DatabaseEngine;
  readonly kills: number;
  readonly processes: number;
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}

export interface KillResult {
  readonly tally: Tally;
  /** How often PostgreSQL has seen two transactions wait for each other; null on SQLite. */
  readonly deadlocks: number | null;
}

/** The most that is acknowledged before a kill, and the longest that it may take. */
const mostAcknowledged = 600;
const longestRoundMs = 5_000;
/** Where in the batch after that it is killed. */
const longestDelayMs = 25;
const killsOfPopulation = 5;

/**
 * Everybody writes to all processes at once, and at a moment that chance decides one of them, or all, are killed. They
 * come back, and everything that was acknowledged is looked for.
 */
export async function killAndCheck(options: KillOptions): Promise<KillResult> {
  const { database, kills, seed, onProgress = () => {} } = options;
  const random = new PseudoRandom(seed);
  const tally = new Tally();
  const checker = new Checker(tally);
  const agent = newAgent();
  const provider = await TestProvider.start();
  const settings = await newSettings(database, {
    ...provider.settings,
    COLLECTIONS_DIR: declarationsFolder(declarations),
    LOG_LEVEL: 'info',
    NEWCOMERS_PER_HOUR: '0',
    READS_PER_MINUTE: '1000000',
    TOKEN_TTL_SECONDS: '86400',
  });
  const secret = await addClient(settings, 'machine');
  const processes = new ServiceProcesses(settings, tally);
  const populations: Population[] = [];
  const numbers = Array.from({ length: options.processes }, (_, index) => index);
  try {
    await Promise.all(numbers.map((index) => processes.start(index)));
    const machineToken = await tokenOf(processes.origin(0), { id: 'machine', secret });
    while (tally.kills < kills) {
      if (tally.kills >= populations.length * killsOfPopulation)
        populations.push(await Population.make({ processes, provider, machineToken, agent }));
      const population = populations.at(-1) as Population;
      const round = new Round(random, tally);
      const writing = population.run(round);
      const victims = random.next() < 0.7 ? [random.pick(numbers)] : numbers;
      await Promise.race([someMoment(random, tally), writing]);
      for (const index of victims) round.killed.add(index);
      round.isOver = true;
      await Promise.all(victims.map((index) => processes.kill(index)));
      await writing;
      await Promise.all(victims.map((index) => processes.start(index)));
      await population.check(checker);
      onProgress(
        `${tally.kills} kills, ${tally.acknowledged} writes acknowledged, ${tally.findings.length} findings`,
      );
    }
    for (const population of populations) await population.check(checker);
  } finally {
    agent.destroy();
    await provider.stop();
    await processes.stop();
  }
  return { tally, deadlocks: database === 'postgres' ? await deadlocksOf(settings.DATABASE_URL) : null };
}

async function someMoment(random: PseudoRandom, tally: Tally): Promise<void> {
  const goal = tally.acknowledged + random.below(mostAcknowledged);
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
