import type { Schema, Schemas } from './openapi-types.ts';

export const text = { type: 'string' };
export const texts = { type: 'array', items: text };
export const count = { type: 'integer', minimum: 0 };
export const uri = { type: 'string', format: 'uri' };
export const dateTime = { type: 'string', format: 'date-time' };

export function maybe<T extends { readonly type: string }>(schema: T) {
  return { ...schema, type: [schema.type, 'null'] };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function mapOf(additionalProperties: Schema | true, description?: string): Schema {
  return { type: 'object', description, additionalProperties };
}

/** All members are required unless named as optional. */
export function object(properties: Schemas, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

/** An object without other members. */
export function closedObject(properties: Schemas, optional: readonly string[] = []): Schema {
  return { ...object(properties, optional), additionalProperties: false };
}

const ranges = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
  ['minProperties', 'maxProperties', ' members'],
] as const;

const words: Readonly<Record<string, (value: unknown) => string>> = {
  exclusiveMinimum: (value) => `more than ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  pattern: (value) => `matches ${value}`,
  uniqueItems: (value) => (value === true ? 'no item twice' : ''),
};

/** The bounds of a value in words: "1 to 80 characters", "more than 0". */
export function boundsInWords(schema: Schema): readonly string[] {
  const counted = ranges.flatMap(([min, max, unit]) => rangeOf(schema[min], schema[max], unit) ?? []);
  const said = Object.entries(words).flatMap(([keyword, inWords]) =>
    schema[keyword] === undefined ? [] : [inWords(schema[keyword])],
  );
  return [...counted, ...said].filter((text) => text !== '');
}

function rangeOf(min: unknown, max: unknown, unit: string): string | null {
  if (min === undefined) return max === undefined ? null : `at most ${max}${unit}`;
  return max === undefined ? `at least ${min}${unit}` : `${min} to ${max}${unit}`;
}
