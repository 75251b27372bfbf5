import type { Collection } from '../../collections/collection.ts';
import { formats, isFormatName } from '../../collections/formats.ts';
import type { Schema } from '../../openapi/openapi-types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that fit the schema; null if the guess does not fit. */
export function exampleFields({ schema, checkFields }: Collection): Fields | null {
  const made = exampleOf(schema) as Fields;
  const wrong = new Set(checkFields(made).map(({ pointer }) => pointer.split('/')[1]));
  const right = Object.fromEntries(Object.entries(made).filter(([name]) => !wrong.has(name)));
  return checkFields(right).length === 0 ? right : null;
}

/** An example of the schema itself, or the least that its bounds allow. */
function exampleOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return 'text';
  const { const: only, enum: choices, examples, anyOf, oneOf, allOf } = schema as Schema;
  for (const given of [examples, choices]) if (Array.isArray(given) && given.length > 0) return given[0];
  if (only !== undefined) return only;
  for (const given of [anyOf, oneOf, allOf]) {
    if (Array.isArray(given) && !('type' in schema || 'properties' in schema)) return exampleOf(given[0]);
  }
  return ofType(schema as Schema);
}

function ofType(schema: Schema): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return exampleText(schema);
  if (type === 'integer' || type === 'number') return exampleNumber(schema, type);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array') return exampleItems(schema);
  return exampleObject(schema);
}

function exampleText({ format, minLength = 0, maxLength = Number.MAX_SAFE_INTEGER }: Schema): string {
  if (isFormatName(format)) return formats[format].example;
  return 'text'.padEnd(Number(minLength), '.').slice(0, Number(maxLength));
}

function exampleNumber(schema: Schema, type: 'integer' | 'number'): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema;
  const step = Number(multipleOf ?? (type === 'integer' ? 1 : 0.5));
  if (minimum !== undefined) return Math.ceil(Number(minimum) / step) * step;
  if (exclusiveMinimum !== undefined) return (Math.floor(Number(exclusiveMinimum) / step) + 1) * step;
  return Math.min(step, Math.floor(Number(maximum ?? step) / step) * step);
}

function exampleItems({ items, prefixItems, minItems = 0, maxItems = 1 }: Schema): unknown[] {
  const first = Array.isArray(prefixItems) ? prefixItems.map((item) => exampleOf(item)) : [];
  const wanted = Math.max(Number(minItems), Math.min(1, Number(maxItems)));
  const rest = items === undefined || items === false ? 0 : Math.max(wanted - first.length, 0);
  return [...first, ...Array.from({ length: rest }, () => exampleOf(items))];
}

function exampleObject({ properties = {} }: Schema): Fields {
  const members = Object.entries(properties as Schema);
  return Object.fromEntries(members.map(([name, property]) => [name, exampleOf(property)]));
}
