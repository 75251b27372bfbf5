import { isJsonObject } from '../base/json-object.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import type { Schema } from './collection.ts';
import { holds } from './schema-grammar.ts';

interface Subschema {
  readonly keyword: string;
  /** From the schema that holds it. */
  readonly pointer: string;
  readonly schema: Schema;
}

/** The schemas right below one. What has not the form of a schema is left out. */
export function subschemasOf(parent: Schema): readonly Subschema[] {
  return Object.entries(parent).flatMap(([keyword, value]) => {
    const held = holds(keyword);
    if (held === null) return [];
    const pointer = pointerTo('', keyword);
    const inside: [string, unknown][] =
      held === 'one'
        ? [[pointer, value]]
        : Object.entries(isJsonObject(value) || Array.isArray(value) ? value : {}).map(([name, one]) => [
            pointerTo(pointer, name),
            one,
          ]);
    return inside.flatMap(([at, one]) => (isJsonObject(one) ? [{ keyword, pointer: at, schema: one }] : []));
  });
}

/** The same schema with others in place of those right below it. */
export function withSubschemas(parent: Schema, change: (schema: Schema, keyword: string) => Schema): Schema {
  const changed = Object.entries(parent).map(([keyword, value]) => {
    const one = (schema: unknown) => (isJsonObject(schema) ? change(schema, keyword) : schema);
    const held = holds(keyword);
    if (held === 'one') return [keyword, one(value)];
    if (held === 'list') return [keyword, (value as readonly unknown[]).map(one)];
    if (held !== 'named') return [keyword, value];
    return [
      keyword,
      Object.fromEntries(Object.entries(value as Schema).map(([name, schema]) => [name, one(schema)])),
    ];
  });
  return Object.fromEntries(changed);
}
