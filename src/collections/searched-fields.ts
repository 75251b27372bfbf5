import { pointerTo } from '../base/yaml/json-pointer.ts';
import { found, type Say, suggestion } from '../base/yaml/mistakes.ts';
import type { Schema } from './collection.ts';
import { typesOf } from './schema-grammar.ts';

export const mostSearchedFields = 8;

/** Search looks at texts and lists of texts. There is no index, so they may have any length. */
export function checkSearch(names: readonly string[], schema: Schema, say: Say): void {
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  for (const [index, name] of names.entries()) {
    const pointer = pointerTo('/search', index);
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined)
      say(
        pointer,
        `must be a property of the schema; ${found(name)}, ${suggestion(name, Object.keys(properties))}`,
      );
    else if (!isText(property) && !isText(property.items))
      say(pointer, `must have the "type" string, or "items" with that type; ${found(name)}`);
  }
}

function isText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && typesOf(schema as Schema).includes('string');
}
