import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { formatNames } from '../../src/collections/formats.ts';
import { checkCollections } from '../../src/collections/read-collections.ts';
import { topSchema } from '../../src/collections/schema-grammar.ts';

/** The declarations that a page shows below one heading, by the file name in the first line of each. */
function shownIn(section: string) {
  const blocks = section.matchAll(/^```yaml\n# (collections\/([a-z-]+)\.yaml)\n([\s\S]*?)\n```$/gm);
  return [...blocks].map(([, path = '', name = '', text = '']) => ({ name, path, text }));
}

const sectionsOf = (page: string) => readFileSync(page, 'utf8').split(/^(?=## )/m);

describe('the declarations of collections in documents', () => {
  for (const page of ['README.md', 'docs/cookbook.md'])
    it(`have no mistakes: ${page}`, () => {
      const groups = sectionsOf(page)
        .map(shownIn)
        .filter(({ length }) => length > 0);
      assert.ok(groups.length > 0);
      for (const group of groups) assert.deepEqual(checkCollections(group).mistakes, []);
    });

  it('the cookbook has ten recipes, each with a declaration and calls', () => {
    const recipes = sectionsOf('docs/cookbook.md').slice(1);
    assert.equal(recipes.length, 10);
    for (const recipe of recipes) {
      assert.ok(shownIn(recipe).length > 0 || /^Files?: \[/m.test(recipe), recipe);
      assert.match(recipe, /^```\n(POST|GET) [\s\S]*?^```$/m);
    }
  });

  it('in collections/ and examples/ have no mistakes', () => {
    for (const folder of globSync(['collections', 'examples/*/collections'])) {
      const files = globSync(`${folder}/*.yaml`).map((path) => ({
        name: basename(path, '.yaml'),
        path,
        text: readFileSync(path, 'utf8'),
      }));
      assert.ok(files.length > 1, folder);
      assert.deepEqual(checkCollections(files).mistakes, [], folder);
    }
  });
});

describe('the section about schemas', () => {
  const section = sectionsOf('docs/collections.md').find((each) => each.startsWith('## Schema\n')) ?? '';
  const marked = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word).sort();

  it('lists the supported keywords and formats', () => {
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    assert.deepEqual(marked(rows.join('\n')), Object.keys(topSchema.properties as object).sort());
    const [formats = ''] = /^`format` is one of .*$/m.exec(section) ?? [];
    assert.deepEqual(marked(formats), ['format', ...formatNames].sort());
  });
});
