import { after, afterEach, beforeEach, describe, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { forgetDocuments } from '../http/openapi.ts';
import { takeExchanges } from '../http/request.ts';
import { reuseKeys } from '../tokens/provider.ts';
import { nextFile } from './surroundings.ts';

/**
 * Runs one test file after the other in one process, as long as there are any. Each is a suite: its hooks are its own.
 * A process for each file would spend most of its time on loading the same modules again.
 */

/** The timeout of a test does not hold for what a file awaits at its top level, nor for its hooks. */
const maxMsPerFile = 600_000;
let file = await nextFile();
beforeEach(() => void takeExchanges());
afterEach((context) => describeFailure(context as TestContext));
if (process.execArgv.some((option) => option.startsWith('--test-name-pattern'))) await runNamed();
else await runAll();

async function runAll(): Promise<void> {
  const awake = stayAwake();
  for (; file !== null; file = await nextFile()) {
    const ended = Promise.withResolvers<void>();
    const url = pathToFileURL(file).href;
    const limit = setTimeout(stopWaiting, maxMsPerFile, `${file} did not end within ten minutes.`, 1);
    describe(file, () => {
      // A nested suite: the hook below runs even if one of its hooks fails.
      describe('all of it', () => import(url));
      after(() => ended.resolve());
    });
    await ended.promise;
    clearTimeout(limit);
    forgetDocuments();
    reuseKeys();
  }
  clearInterval(awake);
  // All tests have passed or failed: what a test has left open may not keep the run waiting.
  setTimeout(stopWaiting, 20_000, 'A test has left something open.').unref();
}

/** Without the suite of the file: Node.js looks for the name when a suite begins, which is before the file is loaded. */
async function runNamed(): Promise<void> {
  let awake: NodeJS.Timeout;
  beforeEach(() => {
    awake = stayAwake();
  });
  afterEach(() => clearInterval(awake));
  setTimeout(stopWaiting, maxMsPerFile, `${file} did not end within ten minutes.`, 1).unref();
  await import(pathToFileURL(String(file)).href);
}

/** A test may wait for a timer that keeps no process alive: there is always something else in a service that does. */
function stayAwake(): NodeJS.Timeout {
  return setInterval(() => {}, 60_000);
}

/** The command that runs a failed test alone, and what was asked and answered last. */
function describeFailure(context: TestContext): void {
  if (context.passed) return;
  const name = context.fullName.replace(`${file} > all of it > `, '').replaceAll(' > ', ' ');
  const command = `npm test -- ${file} --name '${name.replaceAll("'", "'\\''")}'`;
  context.diagnostic([`alone ${command}`, ...takeExchanges()].join('\n'));
}

function stopWaiting(reason: string, exitCode?: number): void {
  console.error(`${reason} Open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(exitCode);
}
