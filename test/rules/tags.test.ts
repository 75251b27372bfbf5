import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

/** The groups of test/README.md: their first and last case. */
const groups = new Map(
  [...readFileSync('test/README.md', 'utf8').matchAll(/^\| ([A-Z]) \| (\d+) to (\d+) \|/gm)].map(
    ([, letter = '', first, last]) => [letter, { first: Number(first), last: Number(last) }],
  ),
);

/** Every tag at the beginning of the name of a test, and the files it stands in. */
const tags = Map.groupBy(
  globSync('test/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/['"`]\[([A-Z])(\d+)\] /g)].map(([, letter = '', number]) => ({
      file,
      letter,
      number: Number(number),
    })),
  ),
  ({ letter }) => letter,
);

it('every tag belongs to a group of test/README.md, and every group has a tagged test', () => {
  assert.deepEqual([...groups.keys()].sort(), [...tags.keys()].sort());
  for (const { file, letter, number } of [...tags.values()].flat()) {
    const group = groups.get(letter);
    assert.ok(group && number >= group.first && number <= group.last, `[${letter}${number}] in ${file}`);
  }
});
