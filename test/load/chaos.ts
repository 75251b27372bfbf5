import { setTimeout as pause } from 'node:timers/promises';
import { OwnPostgres } from '../support/databases/own-postgres.ts';
import { createDatabase, pooledByItself } from '../support/databases/postgres.ts';
import type { DatabaseEngine } from '../support/services/service.ts';
import type { Tally } from './tally.ts';
import { World } from './world.ts';

interface ChaosOptions {
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

const people = 5;
/** The longest that it may take until a kill, on a busy machine. */
const longestRoundMs = 20_000;
/** Where in the batch after that it is killed. */
const longestDelayMs = 25;
const roundsOfPopulation = 5;

/**
 * Everybody works at all processes at once, and at a moment that chance decides one of them, or all, are killed. They
 * come back, and everything that was acknowledged is looked for.
 */
export async function chaos(options: ChaosOptions): Promise<Tally> {
  const { database, kills, seed, databaseKills = 0, maxAcknowledged = 600, onProgress = () => {} } = options;
  const { processes: count, isOver = () => false } = options;
  const server = databaseKills > 0 ? await OwnPostgres.start() : null;
  const own = server === null ? null : await pooledByItself(await createDatabase(server.url));
  const settings = own === null ? {} : { DATABASE_URL: own.url };
  const world = await World.start({ database, processes: count, seed, settings });
  const { random, tally, processes } = world;
  /** Both numbers are reached at about the same time. */
  const databaseShare = databaseKills / (databaseKills + kills);
  try {
    for (let rounds = 0; tally.kills < kills || tally.databaseKills < databaseKills; rounds += 1) {
      if (isOver()) break;
      if (rounds % roundsOfPopulation === 0) await world.addPeople(people);
      const round = world.newRound();
      const working = world.run(round);
      const isDatabase = server !== null && random.next() < databaseShare;
      const { numbers } = processes;
      const victims = isDatabase ? [] : random.next() < 0.7 ? [random.pick(numbers)] : numbers;
      const goal = tally.acknowledged + random.below(maxAcknowledged);
      await Promise.race([untilAcknowledged(tally, goal), working]);
      await pause(random.below(longestDelayMs));
      for (const index of victims) round.killed.add(index);
      round.isDatabaseKilled = isDatabase;
      round.isOver = true;
      if (isDatabase) await server.kill();
      await Promise.all(victims.map((index) => processes.kill(index)));
      await working;
      if (isDatabase) {
        tally.databaseKills += 1;
        await server.startAgain();
        await processes.getReady();
      }
      await Promise.all(victims.map((index) => processes.start(index)));
      await world.check('current');
      onProgress(
        `${tally.kills} and ${tally.databaseKills} kills, ${tally.acknowledged} writes acknowledged, ${tally.findings.length} findings`,
      );
    }
    await world.check('all');
  } finally {
    await world.stop();
    await own?.stop();
    await server?.remove();
  }
  return tally;
}

async function untilAcknowledged(tally: Tally, goal: number): Promise<void> {
  const deadline = performance.now() + longestRoundMs;
  while (tally.acknowledged < goal && performance.now() < deadline) await pause(5);
}
