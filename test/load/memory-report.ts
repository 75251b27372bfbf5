import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
import { threadId } from 'node:worker_threads';

/**
 * Loaded into a service by NODE_OPTIONS, and so into each of its threads: writes down every second what only V8 knows of the
 * memory of that thread, in bytes. `young` is what V8 has set aside for what is new, and gives back late.
 */
const folder = `${process.env.TEST_DIRECTORY}/memory`;
mkdirSync(folder, { recursive: true });
setInterval(() => {
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const line = { heapUsed, heapTotal, external, young: young?.space_size ?? 0 };
  const file = `${folder}/${threadId}.json`;
  // Readers find a complete one.
  writeFileSync(`${file}.new`, JSON.stringify(line));
  renameSync(`${file}.new`, file);
}, 1_000).unref();
