import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { checkCollections } from '../../src/collections/read-collections.ts';

/** The declarations that a page shows below one heading, by the file name in the first line of each. */
function shownIn(section: string) {
  const blocks = section.matchAll(/^```yaml\n# (collections\/([a-z-]+)\.yaml)\n([\s\S]*?)\n```$/gm);
  return [...blocks].map(([, path = '', name = '', text = '']) => ({ name, path, text }));
}

const sectionsOf = (page: string) => readFileSync(page, 'utf8').split(/^(?=## )/m);

describe('the declarations in documents', () => {
  for (const page of ['README.md', 'docs/cookbook.md'])
    it(`are in order: ${page}`, () => {
      const groups = sectionsOf(page)
        .map(shownIn)
        .filter(({ length }) => length > 0);
      assert.ok(groups.length > 0);
      for (const group of groups) assert.deepEqual(checkCollections(group).mistakes, []);
    });

  it('of the cookbook are ten, each shown or in a file, with its calls', () => {
    const recipes = sectionsOf('docs/cookbook.md').slice(1);
    assert.equal(recipes.length, 10);
    for (const recipe of recipes) {
      assert.ok(shownIn(recipe).length > 0 || /^Files?: \[/m.test(recipe), recipe);
      assert.match(recipe, /^```\n(POST|GET) [\s\S]*?^```$/m);
    }
  });

  it('of the folders are in order', () => {
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
