import assert from 'node:assert/strict';
import { readYaml } from '../../src/base/yaml/yaml-text.ts';
import type { Collection } from '../../src/collections/collection.ts';
import { type Mistake, readCollection } from '../../src/collections/read-collections.ts';
import { assertFits } from './editor-schema.ts';

/** The collection that a YAML text declares; fails with its mistakes when it has any. */
export function declared(text: string, name = 'things'): Collection {
  const read = readCollection({ name, path: `collections/${name}.yaml`, text });
  assert.ok('checkFields' in read, JSON.stringify(read, null, 2));
  assertFits(readYaml(text).data);
  return read;
}

/** The mistakes of a YAML text, as `line: sentence`. */
export function mistakesIn(text: string, name = 'things'): readonly string[] {
  const read = readCollection({ name, path: `collections/${name}.yaml`, text });
  assert.ok(!('checkFields' in read), 'it has none');
  const mistakes: readonly Mistake[] = read;
  assert.ok(mistakes.every(({ path }) => path === `collections/${name}.yaml`));
  return mistakes.map(({ line, sentence }) => `${line}: ${sentence}`);
}

/** A text that declares one more property beside a plain one. Both stand from line 3 on. */
export function withProperty(property: string): string {
  return `schema:\n  properties:\n    plain: { type: integer }\n    ${property}\n`;
}
