import { parseArgs } from 'node:util';
import { databaseEngines } from '../support/services/service.ts';
import type { FindingKind } from './journal.ts';
import { killAndCheck } from './kills.ts';
import { openStage } from './stage.ts';

/** `npm run chaos -- --kills 100 --database sqlite|postgres --seed N --processes 1 [--database-kills 10]` */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    database: { type: 'string', default: 'sqlite' },
    processes: { type: 'string', default: '1' },
    'database-kills': { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const database = databaseEngines.find((engine) => engine === values.database);
if (database === undefined) throw new Error(`--database is one of ${databaseEngines.join(', ')}`);
const [kills, processes, seed] = [values.kills, values.processes, values.seed].map(Number) as [
  number,
  number,
  number,
];
console.log(`seed ${seed}, ${database}, ${processes} process(es)`);
const stage = await openStage();
const startedAt = performance.now();
const onProgress = (line: string) => {
  if (process.stdout.isTTY) console.log(line);
};
const databaseKills = Number(values['database-kills']);
if (databaseKills > 0 && database !== 'postgres')
  throw new Error('--database-kills is for --database postgres');
let isOver = false;
// An interrupted run prints its findings so far.
process.once('SIGINT', () => {
  isOver = true;
});
const options = { database, kills, databaseKills, processes, seed, onProgress, isOver: () => isOver };
const { tally, deadlocks } = await killAndCheck(options).finally(() => stage.close());

const kinds: Readonly<Record<FindingKind, string>> = {
  lost: 'acknowledged writes lost',
  doubled: 'writes doubled',
  usage: 'counts that differ from what is there',
  event: 'events missing, doubled or out of order',
  answer: 'answers that should not have been',
  start: 'starts that failed, errors in the log',
};
const lines = {
  kills: tally.kills,
  'kills of PostgreSQL': tally.databaseKills,
  starts: tally.starts,
  'writes acknowledged': tally.acknowledged,
  'writes without an answer': `${tally.unanswered}, of which done: ${tally.unansweredDone}`,
  'refused, and not begun': tally.overloaded,
  'the same request again': tally.replays,
  'callers erased': tally.erased,
  'records looked at': tally.checkedRecords,
  'events read': tally.events,
  'deadlocks that PostgreSQL saw': deadlocks ?? '-',
  ...Object.fromEntries(Object.entries(kinds).map(([kind, text]) => [text, tally.of(kind as FindingKind)])),
  seconds: Math.round((performance.now() - startedAt) / 1000),
};
for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(40)} ${value}`);
for (const [answer, count] of [...tally.answers].sort()) console.log(`  ${answer.padEnd(38)} ${count}`);
for (const { kind, what } of tally.findings.slice(0, 50)) console.log(`${kind}: ${what}`);
process.exitCode = tally.findings.length === 0 ? 0 : 1;
