import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import { runVestibule } from '../support/services/service.ts';
import { describeMatrix, folder, shared } from './matrix.ts';

describe('the output of "check --matrix"', () => {
  it('agrees with the declarations', async () => {
    const output = await runVestibule(
      { TEST_DIRECTORY: newDirectory() },
      'check',
      folder,
      '--matrix',
      '--json',
    );
    const { collections } = JSON.parse(succeeded(output));
    for (const { name, states, rows } of shared) {
      const printed = collections.find((one: { name: string }) => one.name === name);
      assert.deepEqual(printed?.states, states, name);
      assert.deepEqual(printed.rows, rows, name);
    }
  });
});

describeMatrix('sqlite');
