import { pointerTo } from '../base/strict-json.ts';
import { found, type Say } from '../base/yaml/mistakes.ts';
import type { Schema } from './collection.ts';
import { findProperty } from './indexed-fields.ts';
import { typesOf } from './schema-grammar.ts';

export const mostSearchedFields = 8;

/** Search looks at texts and lists of texts. There is no index, so they may have any length. */
export function checkSearch(names: readonly string[], schema: Schema, say: Say): void {
  for (const [index, name] of names.entries()) {
    const pointer = pointerTo('/search', index);
    const property = findProperty(name, schema, pointer, say);
    const isWrong =
      property && Object.keys(property).length > 0 && !isText(property) && !isText(property.items);
    if (isWrong) say(pointer, `must have the "type" string, or "items" with that type; ${found(name)}`);
  }
}

function isText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && typesOf(schema as Schema).includes('string');
}
