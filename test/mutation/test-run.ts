import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Ended } from './reporter.ts';

/** Past this the tests do not end, which is noticing too. */
const deadlineMs = 180_000;

export interface TestRun {
  readonly passed: number;
  /** The tests that failed, in the order in which they ended. */
  readonly failed: readonly Ended[];
  readonly isTimeout: boolean;
}

/** Runs test files in a copy of the source. With `untilNoticed` it ends as soon as one test has passed and one failed. */
export async function runTests(
  tree: string,
  files: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  untilNoticed: boolean,
): Promise<TestRun> {
  const reporter = '--test-reporter=./test/mutation/reporter.ts';
  const parameters = ['--test', '--test-concurrency=1', '--test-timeout=60000', reporter, ...files];
  // A process group of its own, so that whatever the tests have started can be ended with them.
  const child = spawn(process.execPath, parameters, {
    cwd: tree,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const failed: Ended[] = [];
  let passed = 0;
  let isTimeout = false;
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const timer = setTimeout(() => {
    isTimeout = true;
    end();
  }, deadlineMs);
  const exited = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('{')) continue;
    const ended: Ended = JSON.parse(line);
    if (ended.passed) passed += 1;
    else failed.push(ended);
    if (untilNoticed && passed > 0 && failed.some(({ byItself }) => byItself)) break;
  }
  end();
  await exited;
  clearTimeout(timer);
  return { passed, failed, isTimeout };
}
