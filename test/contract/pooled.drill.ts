import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/** The storage suites behind PgBouncer. Needs its own process, because it sets the database for all of them. */
process.env.VESTIBULE_TEST_CONTRACT = 'pooled';
for (const file of globSync('test/contract/*.test.ts').sort())
  if (readFileSync(file, 'utf8').includes('storageKinds'))
    describe(file, () => import(pathToFileURL(resolve(file)).href));
