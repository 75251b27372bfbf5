import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/** The suites of the storage once more, behind PgBouncer. Needs a process of its own: it decides what they run on. */
process.env.VESTIBULE_TEST_CONTRACT = 'pooled';
for (const file of globSync('test/contract/*.test.ts').sort())
  if (readFileSync(file, 'utf8').includes('storageKinds'))
    describe(file, () => import(pathToFileURL(resolve(file)).href));
