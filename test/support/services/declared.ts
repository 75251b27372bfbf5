import assert from 'node:assert/strict';
import { readYaml } from '../../../src/base/yaml/yaml-text.ts';
import type { Collection } from '../../../src/collections/collection.ts';
import { checkCollections } from '../../../src/collections/read-collections.ts';
import { assertFits } from './editor-schema.ts';

/** The collection that a YAML text declares; fails with its mistakes when it has any. */
export function declared(text: string, name = 'things'): Collection {
  const { collections, mistakes } = checkCollections([{ name, path: `collections/${name}.yaml`, text }]);
  assert.deepEqual(mistakes, []);
  assertFits(readYaml(text).data);
  return collections[0] as Collection;
}

/** The mistakes of a YAML text, as `line: sentence`. */
export function mistakesIn(text: string, name = 'things'): readonly string[] {
  const { mistakes } = checkCollections([{ name, path: `collections/${name}.yaml`, text }]);
  assert.notEqual(mistakes.length, 0, 'it has none');
  assert.ok(mistakes.every(({ path }) => path === `collections/${name}.yaml`));
  return mistakes.map(({ line, sentence }) => `${line}: ${sentence}`);
}

/** A text with a plain property on line 3 and this one on line 4. */
export function withProperty(property: string): string {
  return `schema:\n  properties:\n    plain: { type: integer }\n    ${property}\n`;
}
