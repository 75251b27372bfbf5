import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checks } from './checks.ts';
import { prepareCopies } from './copies.ts';
import { mutationDocument, type Noticed } from './document.ts';
import { applyTo, type Mutant, mutate } from './mutant.ts';
import { runTests, type TestRun } from './test-run.ts';

/**
 * `npm run test:mutation`: takes away one security check at a time and expects a test to notice.
 * `-- --only <text>` for those whose check or file contains a text, `-- --list` to see them all.
 */
type Copies = Awaited<ReturnType<typeof prepareCopies>>;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
  },
});
const mutants = checks.filter(({ check, file }) => `${file} ${check}`.includes(options.only));

if (options.list) for (const { file, check } of mutants) console.log(`${file}: ${check}`);
else process.exitCode = await main();

async function main(): Promise<number> {
  const problems = outdated(mutants);
  const copies = await prepareCopies(Number(options.jobs));
  const noticed: Noticed[] = [];
  try {
    problems.push(...(await failingWithoutMutation(copies)));
    if (problems.length === 0) {
      await inParallel(copies.trees, mutants, async (tree, mutant) => {
        const { by, problem } = await judge(tree, mutant, copies);
        if (problem === null) noticed.push({ mutant, by });
        else problems.push(problem);
        console.log(problem ?? `noticed: ${mutant.file}: ${mutant.check} (${by})`);
      });
    }
  } finally {
    await copies.remove();
  }
  if (options.only === '' && problems.length === 0) {
    const inOrder = noticed.toSorted((a, b) => checks.indexOf(a.mutant) - checks.indexOf(b.mutant));
    writeFileSync('docs/mutation.md', mutationDocument(inOrder));
  }
  for (const problem of problems) console.error(problem);
  console.log(`${noticed.length} passed, ${problems.length} failed`);
  return problems.length === 0 ? 0 : 1;
}

function outdated(all: readonly Mutant[]): string[] {
  return all.flatMap((mutant) => {
    try {
      mutate(mutant, readFileSync(mutant.file, 'utf8'));
      return [];
    } catch (error) {
      return [`${mutant.file}: ${(error as Error).message}`];
    }
  });
}

/** A test that fails anyway notices nothing. */
async function failingWithoutMutation({ trees, environment }: Copies): Promise<string[]> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))].sort();
  const problems: string[] = [];
  await inParallel(trees, files, async (tree, file) => {
    const { passed, failed } = await runTests(tree, [file], environment, false);
    if (passed === 0) problems.push(`${file} has no test that passes`);
    const names = new Set(failed.map(({ name }) => name));
    for (const name of names) problems.push(`${file} fails without any change: ${name}`);
  });
  return problems;
}

async function judge(tree: string, mutant: Mutant, { environment }: Copies) {
  const restore = applyTo(tree, mutant);
  try {
    const run = await runTests(tree, mutant.tests, environment, true);
    return { by: firstOf(run), problem: problemOf(mutant, run) };
  } finally {
    restore();
  }
}

function firstOf({ failed, isTimeout }: TestRun): string {
  const first = failed.find(({ byItself }) => byItself) ?? failed[0];
  return first?.name ?? (isTimeout ? '(the tests do not end)' : '');
}

function problemOf({ file, check }: Mutant, { passed, failed, isTimeout }: TestRun): string | null {
  if (failed.length === 0 && !isTimeout) return `NOT NOTICED: ${file}: ${check}`;
  return passed > 0 ? null : `NOTHING WORKS, which proves nothing: ${file}: ${check}`;
}

/** Every copy of the source takes the next one as soon as it is free. */
async function inParallel<T>(
  trees: readonly string[],
  all: readonly T[],
  work: (tree: string, one: T) => Promise<void>,
): Promise<void> {
  const rest = [...all];
  const worker = async (tree: string) => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(tree, next);
  };
  await Promise.all(trees.map(worker));
}
