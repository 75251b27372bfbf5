import { parseArgs } from 'node:util';
import { openStage } from '../support/run/stage.ts';
import { databaseEngines } from '../support/services/service.ts';
import { chaos } from './chaos.ts';
import { headLine, sampleLine, slopeLine } from './samples.ts';
import { soak } from './soak.ts';
import type { Tally } from './tally.ts';

/**
 * The load program, with a profile:
 * `npm run chaos -- --kills 100 --database sqlite|postgres --processes 1 [--database-kills 10]`: processes are killed.
 * `npm run soak -- --minutes 60 --database sqlite|postgres`: an ordinary day in short. It prints every half minute what
 * memory and descriptors the service has, and at the end by how much they grew in a minute once it had warmed up.
 * Both check everything that was acknowledged, and take the `--seed` of a run that failed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '100' },
    processes: { type: 'string', default: '1' },
    'database-kills': { type: 'string', default: '0' },
    minutes: { type: 'string', default: '60' },
    'per-second': { type: 'string', default: '150' },
    'warm-up': { type: 'string', default: '10' },
    /** Of the service: NAME=value. */
    set: { type: 'string', multiple: true, default: [] },
  },
});
const database = databaseEngines.find((engine) => engine === values.database);
if (database === undefined) throw new Error(`--database is one of ${databaseEngines.join(', ')}`);
if (values['database-kills'] !== '0' && database !== 'postgres')
  throw new Error('--database-kills is for --database postgres');
const number = (name: Exclude<keyof typeof values, 'set'>) => Number(values[name]);
const common = { database, seed: number('seed') };

const profiles = {
  chaos(): Promise<Tally> {
    let isOver = false;
    // An interrupted run on SQLite prints its findings so far. The library of PostgreSQL ends the program at once.
    process.once('SIGINT', () => {
      isOver = true;
    });
    return chaos({
      ...common,
      kills: number('kills'),
      databaseKills: number('database-kills'),
      processes: number('processes'),
      isOver: () => isOver,
      onProgress: (line) => {
        if (process.stdout.isTTY) console.log(line);
      },
    });
  },
  async soak(): Promise<Tally> {
    console.log(`megabytes, and descriptors\n${headLine}`);
    const warmUp = number('warm-up');
    const { samples, tally, warnings } = await soak({
      ...common,
      seconds: number('minutes') * 60,
      perSecond: number('per-second'),
      everySeconds: 30,
      settings: Object.fromEntries(values.set.map((one) => one.split(/=(.*)/s).slice(0, 2))),
      onSample: (sample) => console.log(sampleLine(sample)),
    });
    console.log(`after ${warmUp} minutes:\n${slopeLine(samples.filter(({ minute }) => minute > warmUp))}`);
    for (const [text, count] of warnings) console.log(`warning: ${text} ${count}`);
    return tally;
  },
};
const profile = Object.entries(profiles).find(([name]) => name === positionals[0])?.[1];
if (profile === undefined) throw new Error(`The profile is one of ${Object.keys(profiles).join(', ')}`);
console.log(`seed ${common.seed}, ${database}`);
const stage = await openStage();
const startedAt = performance.now();
const tally = await profile().finally(() => stage.close());
tally.print();
console.log(`${Math.round((performance.now() - startedAt) / 1000)} seconds`);
process.exitCode = tally.findings.length === 0 ? 0 : 1;
