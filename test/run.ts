import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { startParts } from './support/run/parts.ts';
import { RunTimes } from './support/run/run-times.ts';
import type { Surroundings } from './support/run/surroundings.ts';

/**
 * Runs the test files of a tier, or the named files and folders. `npm test` is everything that a change can break (*.test.ts), and
 * afterwards test/after, which searches everything that the run has left behind. `npm run test:drills` is long scenarios
 * (*.drill.ts), `npm run test:release` what is shipped (*.release.ts). What is slow to start (PostgreSQL, the providers,
 * the build of the frontend) starts when a file first asks for it. test/README.md says more.
 */
const runDirectory = resolve('.test-run');
const cacheDirectory = `${runDirectory}-cache`;
/** Takes file after file in a process. */
const runner = 'test/support/run/file-runner.ts';
/** More than the two cores that are to be expected: many tests wait for a disk, a browser or a clock. Drills load the machine. */
const [testProcesses, drillProcesses] = [5, 4];
/** Of the drills that failed beside others, so many at most are run once more by themselves, and named. */
const maxRunAgain = 5;

/** How long each file took when it was last run, in milliseconds. */
const durationsFile = `${cacheDirectory}/durations.json`;

const times = new RunTimes();
mkdirSync(cacheDirectory, { recursive: true });
using lock = new DatabaseSync(`${cacheDirectory}/lock`, { timeout: 0 });
takeLock(lock);
rmSync(runDirectory, { recursive: true, force: true });
mkdirSync(runDirectory, { recursive: true });

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string', default: 'test' },
    name: { type: 'string' },
    large: { type: 'boolean', default: false },
    pooled: { type: 'boolean', default: false },
  },
});
if (!['test', 'drill', 'release'].includes(values.tier))
  throw new Error(`There is no tier "${values.tier}".`);
if (values.large) process.env.VESTIBULE_TEST_LARGE = 'yes';
if (values.pooled) process.env.VESTIBULE_TEST_POOLED = 'yes';
const named = positionals.map((file) => file.replace(/^\.\//, ''));
const missing = named.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`There is no such test file: ${missing.join(', ')}`);
const ofTier = (folder: string) => globSync(`${folder}/**/*.${values.tier}.ts`).sort();
const files =
  named.length > 0
    ? named.flatMap((name) => (statSync(name).isDirectory() ? ofTier(name) : [name]))
    : ofTier('test').filter(isAsked);
if (values.name !== undefined && files.length !== 1)
  throw new Error('--name was given without its file. Name one: npm test -- <file> --name "<name>"');
if (files.length === 0) throw new Error(`No file of this tier is in ${named.join(', ')}.`);
const empty = files.filter((file) => readFileSync(file, 'utf8').trim() === '');
if (empty.length > 0) throw new Error(`A test file without a test: ${empty.join(', ')}`);
const isAfter = (file: string) => file.startsWith('test/after/');
const durations = new Map<string, number>(
  existsSync(durationsFile) ? JSON.parse(readFileSync(durationsFile, 'utf8')) : [],
);
const waiting: string[] = [];
let tests = 0;
/** What test/support/run/file-runner says of each failed test. */
const commands: string[] = [];
const broken = new AbortController();
const parts = await startParts(runDirectory, {
  nextFile() {
    const file = waiting.shift() ?? null;
    times.fileGiven(file);
    return file;
  },
  onStart: (name, starting) => void times.partStarts(name, starting),
  onFailure(reason) {
    if (!broken.signal.aborted) console.error(`\nThe tests cannot run here. ${reason}\n`);
    broken.abort();
  },
});
const surroundings: Omit<Surroundings, 'audience'> = {
  runDirectory,
  partsUrl: parts.url,
  hasProgram: true,
};
process.env.VESTIBULE_TEST = JSON.stringify(surroundings);
// Hundreds of processes load the same files: what V8 made of them is kept for the next.
process.env.NODE_COMPILE_CACHE = cacheDirectory;
try {
  const failed = await runTests(files.filter((file) => !isAfter(file)));
  const mayRunAgain = values.tier === 'drill' && named.length === 0;
  const failedAlone = mayRunAgain ? await runAgain(failed) : failed;
  const failedAfter = await runTests(files.filter(isAfter));
  if (tests === 0) throw new Error(`No test of ${files} is named "${values.name}".`);
  process.exitCode = failedAlone.length + failedAfter.length === 0 ? 0 : 1;
  if (commands.length > 0) console.error(`\nFailed, with the last requests of each:\n${commands.join('\n')}`);
  if (files.length > 10) console.log(`\n${times.report()}`);
  writeFileSync(durationsFile, JSON.stringify([...durations]));
} finally {
  await parts.stop();
}

/**
 * Runs failed drills once more by themselves: they load the machine and measure, and may disturb each other. Names those
 * that pass then. Returns those that fail again.
 */
async function runAgain(failed: readonly string[]): Promise<readonly string[]> {
  if (broken.signal.aborted || failed.length === 0 || failed.length > maxRunAgain || failed.includes(runner))
    return failed;
  console.log(`\nOnce more, by themselves: ${failed.join(', ')}`);
  const failedAlone = await runTests(failed, 1);
  const unsteady = failed.filter((file) => !failedAlone.includes(file));
  if (unsteady.length > 0)
    console.error(
      `\nFailed beside others and passed alone, which has to be looked into: ${unsteady.join(', ')}`,
    );
  return failedAlone;
}

/**
 * A few processes take one file after the other, the longest first, so that all of them end at about the same time.
 * A file that says that it needs a process of its own gets one. Returns the files that failed.
 */
async function runTests(
  all: readonly string[],
  atOnce = values.tier === 'test' ? testProcesses : drillProcesses,
): Promise<readonly string[]> {
  if (all.length === 0 || broken.signal.aborted) return all;
  const needsOwn = (file: string) => readFileSync(file, 'utf8').includes('Needs a process of its own');
  const [own, shared] = [all.filter(needsOwn), all.filter((file) => !needsOwn(file))];
  waiting.push(...shared.toSorted((one, other) => expectedMs(other) - expectedMs(one)));
  const workers = Array<string>(Math.min(atOnce, shared.length)).fill(runner);
  const events = run({
    files: [...own, ...workers].map((file) => resolve(file)),
    concurrency: atOnce,
    timeout: 300_000,
    signal: broken.signal,
    ...(values.name === undefined ? {} : { testNamePatterns: [new RegExp(RegExp.escape(values.name))] }),
  });
  const failed = new Set<string>();
  events.on('test:fail', ({ name, nesting, file = runner }) => {
    if (nesting === 0) failed.add(shared.includes(name) ? name : relative('.', file));
  });
  events.on('test:summary', ({ success, file }) => {
    if (!success && failed.size === 0) failed.add(file ?? runner);
  });
  for (const type of ['test:pass', 'test:fail'] as const)
    events.on(type, ({ name, nesting, details }) => {
      // A process without a test is a test of Node.js itself, named by its file.
      if (details.type !== 'suite' && name !== resolve(runner)) tests += 1;
      if (nesting > 0 || !shared.includes(name)) return;
      durations.set(name, Math.round(details.duration_ms));
      times.fileEnded(name, details.duration_ms);
    });
  events.on('test:diagnostic', ({ message }) => {
    if (message.startsWith('alone npm test')) commands.push(message);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  times.workersEnded();
  // A process that ended early has left files without a runner.
  if (!broken.signal.aborted) for (const file of waiting) console.error(`${file} was not run.`);
  return [...failed, ...waiting];
}

/** All of them, unless it is asked for those that can be larger, or for those that are about a service on PostgreSQL. */
function isAsked(file: string): boolean {
  if (values.large && !readFileSync(file, 'utf8').includes('support/run/size.ts')) return false;
  return !values.pooled || /^test\/(collections|contract|fault|http|records)\//.test(file);
}

/** The duration of the last run; for a file that has not run here yet, an estimate by its name and its folder. */
function expectedMs(file: string): number {
  const isLong =
    /\/(doors|served|webhook|matrix|records\.429|webhook-receivers|shutdown|token\.revoked)\.test\.ts$/.test(
      file,
    );
  const isSlow =
    /^test\/(browser|deploy|docs|cli|contract|fault|packages|people|prometheus|proxies|records)\//.test(file);
  return durations.get(file) ?? (isLong ? 120_000 : isSlow ? 60_000 : 10_000);
}

/** Freed by the system when this process ends in whatever way; two runs would delete each other's files. */
function takeLock(file: DatabaseSync): void {
  try {
    file.exec('begin exclusive');
  } catch {
    throw new Error('Another "npm test" is under way in this folder.');
  }
}
