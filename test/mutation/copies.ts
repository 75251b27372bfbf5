import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from '../support/ports.ts';
import { startPostgres } from '../support/postgres.ts';
import { startSharedProviders } from '../support/shared-providers.ts';

const leftOut = new Set(['node_modules', '.git', '.test-run', 'data', 'coverage']);

/** A temporary folder with copies of the working tree, and what the tests need around them. */
export async function prepareCopies(count: number) {
  const directory = mkdtempSync(join(tmpdir(), 'vestibule-mutation-'));
  // PostgreSQL may run as a user of its own, who has to get in.
  chmodSync(directory, 0o755);
  const trees = Array.from({ length: count }, (_, index) => copyTree(join(directory, `tree-${index}`)));
  const runDirectory = join(directory, 'run');
  mkdirSync(runDirectory);
  const { stop, ...started } = await surroundingsOfTests(directory);
  const environment = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    VESTIBULE_TEST: JSON.stringify({ ...started.surroundings, runDirectory }),
  };
  return {
    trees,
    environment,
    async remove() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function copyTree(tree: string): string {
  cpSync('.', tree, { recursive: true, filter: (source) => !leftOut.has(basename(source)) });
  symlinkSync(realpathSync('node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Those of a run of the tests that is under way, or new ones. */
async function surroundingsOfTests(directory: string) {
  const given = process.env.VESTIBULE_TEST;
  if (given !== undefined) return { surroundings: JSON.parse(given), stop: async () => {} };
  const postgres = await startPostgres(join(directory, 'postgres'), await freePort());
  const { stop, ...providers } = await startSharedProviders();
  return {
    surroundings: { postgresUrl: postgres.url, ...providers },
    async stop() {
      await stop();
      await postgres.stop();
    },
  };
}
