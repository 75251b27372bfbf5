import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { forgetDocuments } from './openapi.ts';
import { reuseKeys } from './provider.ts';
import { nextFile } from './surroundings.ts';

/**
 * Runs one test file after the other in one process, as long as there are any. Each is a suite: its hooks are its own.
 * A process for each file would spend most of its time on loading the same modules again.
 */
// A test may wait for a timer that keeps no process alive: there is always something else in a service that does.
const awake = setInterval(() => {}, 60_000);
for (let file = await nextFile(); file !== null; file = await nextFile()) {
  const ended = Promise.withResolvers<void>();
  const url = pathToFileURL(file).href;
  describe(file, () => {
    // A suite of its own: when one of its hooks fails, the hook below runs all the same.
    describe('all of it', () => import(url));
    after(() => ended.resolve());
  });
  await ended.promise;
  forgetDocuments();
  reuseKeys();
}
clearInterval(awake);
