import { isJsonObject } from '../../base/json-object.ts';
import { pointerTo } from '../../base/yaml/json-pointer.ts';
import type { Say } from '../../base/yaml/mistakes.ts';
import type { Schema } from './collection.ts';
import { type JsonType, typesOf } from './schema-keywords.ts';

const ranges = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
] as const;

/** Says what cannot be true of any value, or would take too long to find out. */
export function checkValues(schema: Schema, pointer: string, say: Say): void {
  for (const [least, most] of ranges) {
    const [from, to] = [schema[least], schema[most]];
    if (typeof from === 'number' && typeof to === 'number' && from > to) {
      say(pointerTo(pointer, least), `must not be above "${most}", which is ${to}; found ${from}`);
    }
  }
  const types = typesOf(schema);
  const listedValues = Array.isArray(schema.enum) ? schema.enum : [];
  const values = schema.const === undefined ? listedValues : [...listedValues, schema.const];
  if (types.length > 0 && values.some((value) => !types.some((type) => isOfType(value, type)))) {
    const at = pointerTo(pointer, schema.const === undefined ? 'enum' : 'const');
    say(at, `has a value that is not of the type "${types.join('" or "')}"`);
  }
  if (schema.uniqueItems === true && !hasScalarItems(schema)) {
    say(
      pointerTo(pointer, 'uniqueItems'),
      'needs "items" of the type "string", "integer", "number" or "boolean": others take too long to compare',
    );
  }
}

function hasScalarItems(schema: Schema): boolean {
  const types = isJsonObject(schema.items) ? typesOf(schema.items) : [];
  return (
    types.length > 0 &&
    !types.some((type) => type === 'array' || type === 'object') &&
    schema.prefixItems === undefined
  );
}

function isOfType(value: unknown, type: JsonType): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
