import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startParts } from '../support/parts.ts';

const leftOut = new Set(['node_modules', '.git', '.test-run', 'data', 'coverage']);

/** A temporary folder with copies of the working tree, and what the tests need around them. */
export async function prepareCopies(count: number) {
  const directory = mkdtempSync(join(tmpdir(), 'vestibule-mutation-'));
  // PostgreSQL may run as a user of its own, who has to get in.
  chmodSync(directory, 0o755);
  const trees = Array.from({ length: count }, (_, index) => copyTree(join(directory, `tree-${index}`)));
  const runDirectory = join(directory, 'run');
  mkdirSync(runDirectory);
  const parts = await startParts(directory);
  const environment = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    VESTIBULE_TEST: JSON.stringify({ runDirectory, partsUrl: parts.url }),
  };
  return {
    trees,
    environment,
    async remove() {
      await parts.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function copyTree(tree: string): string {
  cpSync('.', tree, { recursive: true, filter: (source) => !leftOut.has(basename(source)) });
  symlinkSync(realpathSync('node_modules'), join(tree, 'node_modules'));
  return tree;
}
