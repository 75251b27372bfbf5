import { parseArgs } from 'node:util';
import { openStage } from '../chaos/stage.ts';
import { databaseEngines } from '../support/services/service.ts';
import { headLine, lineOf, slopeLine, slopes } from './samples.ts';
import { soak } from './soak.ts';

/**
 * `npm run soak -- --minutes 60 --database sqlite|postgres`: an ordinary day in short. Prints every half minute what memory
 * and descriptors the service has, and at the end by how much they grew in a minute once it had warmed up.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    database: { type: 'string', default: 'sqlite' },
    'per-second': { type: 'string', default: '150' },
    'warm-up': { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Of the service: NAME=value. */
    set: { type: 'string', multiple: true, default: [] },
  },
});
const database = databaseEngines.find((engine) => engine === values.database);
if (database === undefined) throw new Error(`--database is one of ${databaseEngines.join(', ')}`);
const [minutes, warmUp, perSecond, seed] = [
  values.minutes,
  values['warm-up'],
  values['per-second'],
  values.seed,
].map(Number) as [number, number, number, number];
const overrides = Object.fromEntries(values.set.map((one) => one.split(/=(.*)/s).slice(0, 2)));
console.log(`seed ${seed}, ${database}, ${perSecond} requests a second; megabytes, and descriptors`);
console.log(headLine());
const stage = await openStage();
const { samples, answers, warnings } = await soak({
  database,
  seconds: minutes * 60,
  perSecond,
  everySeconds: 30,
  seed,
  overrides,
  onSample: (sample) => console.log(lineOf(sample)),
}).finally(() => stage.close());
console.log(
  `after ${warmUp} minutes:\n${slopeLine(slopes(samples.filter(({ minute }) => minute > warmUp)))}`,
);
for (const [answer, count] of [...answers].sort()) console.log(`  ${answer.padEnd(38)} ${count}`);
for (const [text, count] of warnings) console.log(`warning: ${text} ${count}`);
const isBad = [...answers.keys()].some((answer) => /5(?!03)\d\d$/.test(answer));
process.exitCode = isBad ? 1 : 0;
