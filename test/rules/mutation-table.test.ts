import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { checks } from '../mutation/checks.ts';
import { mutate } from '../mutation/mutant.ts';
import { matchesOf } from '../mutation/pattern.ts';

/** `npm run test:mutation` takes minutes; that its table still fits the code is known in a moment. */
describe('the table of security checks', () => {
  for (const mutant of checks) {
    it(`still finds in ${mutant.file}: ${mutant.check}`, () => {
      assert.notEqual(mutate(mutant, readFileSync(mutant.file, 'utf8')), '');
      for (const file of mutant.tests) assert.ok(existsSync(file), file);
    });
  }
});

describe('the pattern of a row', () => {
  const source =
    "a(); if (isOld(x)) throw new Refusal('old', { x });\n  if (isNew(y))\n    throw new Refusal('new');";
  const found = (pattern: string) =>
    matchesOf(pattern, source).map(({ start, end, filled }) => [source.slice(start, end), ...filled]);

  it('fits whatever the spaces are and whatever stands in the place of …', () => {
    const statement = "if (isNew(y))\n    throw new Refusal('new');";
    assert.deepEqual(found("if (…) throw new Refusal('new');"), [[statement, 'isNew(y)']]);
    assert.deepEqual(found("if(isNew( … ))throw new  Refusal('new')"), [[statement.slice(0, -1), 'y']]);
  });

  it('fits in every place, never past a bracket or the end of a statement, and words stay words', () => {
    assert.equal(found('if (…) throw').length, 2);
    assert.deepEqual(found('isOld(…) })'), []);
    assert.deepEqual(found("a(…'new'"), []);
    assert.deepEqual(found('newRefusal'), []);
  });
});
