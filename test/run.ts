import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { startParts } from './support/parts.ts';
import type { Surroundings } from './support/surroundings.ts';

/**
 * `npm test`: runs every test file, and afterwards test/after, which looks through everything that all the processes of
 * the run have left behind. `npm test -- test/http/me.200.test.ts` runs only the files named. What is slow to start
 * (PostgreSQL, the providers, the build of the frontend) starts when a file first asks for it.
 */
const runDirectory = resolve('.test-run');
const cacheDirectory = `${runDirectory}-cache`;
/** One more than the cores that are to be expected: there is always one that waits for a disk or a clock. */
const processes = 3;

mkdirSync(cacheDirectory, { recursive: true });
using lock = new DatabaseSync(`${cacheDirectory}/lock`, { timeout: 0 });
takeLock(lock);
rmSync(runDirectory, { recursive: true, force: true });
mkdirSync(runDirectory, { recursive: true });

const named = process.argv.slice(2).map((file) => file.replace(/^\.\//, ''));
const files = named.length > 0 ? named : globSync('test/**/*.test.ts').sort();
const isAfter = (file: string) => file.startsWith('test/after/');
const waiting: string[] = [];
const parts = await startParts(runDirectory, { nextFile: () => waiting.shift() ?? null });
const surroundings: Omit<Surroundings, 'audience'> = { runDirectory, partsUrl: parts.url };
process.env.VESTIBULE_TEST = JSON.stringify(surroundings);
// Hundreds of processes load the same files: what V8 made of them is kept for the next.
process.env.NODE_COMPILE_CACHE = cacheDirectory;
try {
  const isGood =
    (await runTests(files.filter((file) => !isAfter(file)))) && (await runTests(files.filter(isAfter)));
  process.exitCode = isGood ? 0 : 1;
} finally {
  await parts.stop();
}

/**
 * A few processes take one file after the other, the slow ones first, so that all of them end at about the same time.
 * A file that says that it needs a process of its own gets one.
 */
async function runTests(all: readonly string[]): Promise<boolean> {
  if (all.length === 0) return true;
  const needsOwn = (file: string) => readFileSync(file, 'utf8').includes('Needs a process of its own');
  const [own, shared] = [all.filter(needsOwn), all.filter((file) => !needsOwn(file))];
  waiting.push(...shared.toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one))));
  const workers = Array<string>(Math.min(processes, shared.length)).fill('test/support/file-runner.ts');
  const events = run({
    files: [...own, ...workers].map((file) => resolve(file)),
    concurrency: processes,
    timeout: 300_000,
  });
  let isGood = true;
  events.on('test:summary', ({ success }) => {
    isGood &&= success;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  // A process that ended early has left files to nobody.
  for (const file of waiting) console.error(`${file} was not run.`);
  return isGood && waiting.length === 0;
}

/** Those that take longest: one of them alone at the end would make everybody wait. */
function isSlow(file: string): boolean {
  return /^test\/(browser|docs|cli|fault|records|rules)\//.test(file);
}

/** Freed by the system when this process ends in whatever way; two runs would delete each other's files. */
function takeLock(file: DatabaseSync): void {
  try {
    file.exec('begin exclusive');
  } catch {
    throw new Error('Another "npm test" is under way in this folder.');
  }
}
