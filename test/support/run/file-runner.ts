import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { forgetDocuments } from '../http/openapi.ts';
import { reuseKeys } from '../tokens/provider.ts';
import { nextFile } from './surroundings.ts';

/**
 * Runs one test file after the other in one process, as long as there are any. Each is a suite: its hooks are its own.
 * A process for each file would spend most of its time on loading the same modules again.
 */
// A test may wait for a timer that keeps no process alive: there is always something else in a service that does.
const awake = setInterval(() => {}, 60_000);
/** The timeout of a test does not hold for what a file awaits at its top level, nor for its hooks. */
const maxMsPerFile = 600_000;
for (let file = await nextFile(); file !== null; file = await nextFile()) {
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

function stopWaiting(reason: string, exitCode?: number): void {
  console.error(`${reason} Open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(exitCode);
}
