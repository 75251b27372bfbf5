import { isJsonObject, pointerTo } from '../base/strict-json.ts';
import type { Schema } from '../openapi/openapi-types.ts';

/** A description defines a value completely (type, members, bounds); a condition adds to a value described elsewhere. */
export type SchemaRole = 'description' | 'condition';

const alternatives = ['anyOf', 'oneOf'];
const inPlace = ['allOf', 'not', 'if', 'then', 'else'];
const conditions = [...inPlace, 'contains', 'propertyNames'];

/** The keywords that define a value. Alternatives beside one of them are only conditions. */
export const typeKeywords = ['type', 'enum', 'const', 'properties', '$ref'] as const;

export function roleIn(parent: Schema, keyword: string, role: SchemaRole): SchemaRole {
  if (role === 'condition' || conditions.includes(keyword)) return 'condition';
  const isDescribed = typeKeywords.some((name) => parent[name] !== undefined);
  return alternatives.includes(keyword) && isDescribed ? 'condition' : 'description';
}

/** True if the schemas under a keyword apply to the same value as their parent. */
export function isInPlace(keyword: string): boolean {
  return inPlace.includes(keyword) || alternatives.includes(keyword);
}

const single = ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'];
const several = ['prefixItems', 'allOf', ...alternatives, 'properties', '$defs'];

/** The schemas directly below one, each with the path from there. Values that are not objects are left out. */
export function subschemasOf(parent: Schema) {
  return Object.entries(parent).flatMap(([keyword, value]) => {
    const pointer = pointerTo('', keyword);
    if (single.includes(keyword)) return isJsonObject(value) ? [{ keyword, pointer, schema: value }] : [];
    if (!several.includes(keyword)) return [];
    return Object.entries(isJsonObject(value) || Array.isArray(value) ? value : {}).flatMap(
      ([name, schema]) =>
        isJsonObject(schema) ? [{ keyword, pointer: pointerTo(pointer, name), schema }] : [],
    );
  });
}

/** The same schema with other schemas directly below it. */
export function withSubschemas(parent: Schema, change: (schema: Schema, keyword: string) => Schema): Schema {
  const changed = Object.entries(parent).map(([keyword, value]) => {
    const one = (schema: unknown) => (isJsonObject(schema) ? change(schema, keyword) : schema);
    if (single.includes(keyword)) return [keyword, one(value)];
    if (!several.includes(keyword)) return [keyword, value];
    if (Array.isArray(value)) return [keyword, value.map(one)];
    const named = Object.entries(value as Schema).map(([name, schema]) => [name, one(schema)]);
    return [keyword, Object.fromEntries(named)];
  });
  return Object.fromEntries(changed);
}
