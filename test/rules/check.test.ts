import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';

const checks = {
  'has no type errors': ['node_modules/typescript/bin/tsc', '--noEmit'],
  'of the frontend has none either': ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'],
  'of the verifier has none either': ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/verify'],
  'is formatted and free of lint warnings': [
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--error-on-warnings',
  ],
};

describe('the source', () => {
  for (const [name, command] of Object.entries(checks)) {
    it(name, () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
      assert.equal(status, 0, `${stdout}\n${stderr}`);
    });
  }
});
