import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { importsOf } from './import-rules.ts';

/** What several folders use although it stands in one of them. */
const exceptions: Readonly<Record<string, string>> = {
  'test/attack/forgeries/all.ts': 'the verifier of packages refuses the forgeries that the service refuses',
  'test/image/build.ts': 'the tests of the deploy files know the base of the image',
  'test/rules/import-rules.ts': 'reads the imports of the packages too',
  'test/load/chaos.ts': 'a drill of fault runs the program for a short time',
  'test/load/samples.ts': 'a drill of fault runs the program for a short time',
  'test/load/soak.ts': 'a drill of fault runs the program for a short time',
};

/** Each use of a helper that stands in the folder of other tests. */
function strayHelpers(sources: ReadonlyMap<string, string>): readonly string[] {
  return [...sources].flatMap(([from, text]) =>
    importsOf(from, text).flatMap(({ target }) => {
      if (target === null || !sources.has(target) || target in exceptions) return [];
      const folder = /^test\/[^/]+\//.exec(target)?.[0];
      const isStray = folder !== undefined && folder !== 'test/support/' && !from.startsWith(folder);
      return isStray ? [`${target}, which ${from} imports`] : [];
    }),
  );
}

it('a helper that several folders use is in test/support', () => {
  const sources = new Map(
    globSync('test/**/*.{ts,tsx}').map((file) => [file.replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  );
  assert.deepEqual(strayHelpers(sources), [], 'move these to the folder of test/support for their subject');
});

it('the rule finds a helper of another folder, and none of its own folder or of test/support', () => {
  const files = ['test/http/a.ts', 'test/fault/a.ts', 'test/support/http/a.ts'];
  const found = files.map((file) => {
    const user = `import '../${file.slice('test/'.length)}';`;
    return strayHelpers(new Map([file, 'test/fault/x.test.ts'].map((name) => [name, user]))).length;
  });
  assert.deepEqual(found, [1, 0, 0]);
});

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
