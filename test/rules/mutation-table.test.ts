import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { checks } from '../mutation/checks.ts';
import { mutate } from '../mutation/mutant.ts';

/** `npm run test:mutation` takes minutes; that its table still fits the code is known in a moment. */
describe('the table of security checks', () => {
  for (const mutant of checks) {
    it(`still finds in ${mutant.file}: ${mutant.check}`, () => {
      assert.notEqual(mutate(mutant, readFileSync(mutant.file, 'utf8')), '');
      for (const file of mutant.tests) assert.ok(existsSync(file), file);
    });
  }
});
