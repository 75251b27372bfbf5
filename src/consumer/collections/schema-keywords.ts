import { isJsonObject } from '../../base/json-object.ts';
import { listed } from '../../base/yaml/mistakes.ts';
import type { Schema } from './collection.ts';
import { formatNames, isFormatName } from './formats.ts';
import { longestPattern, patternMistake } from './patterns.ts';

/** The part of JSON Schema 2020-12 that a collection may use: enough for records, nothing that can run away. */

export const dialect = 'https://json-schema.org/draft/2020-12/schema';
const jsonTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

interface Keyword {
  /** What a value of the keyword must be, when it is something else. */
  readonly mistake: (value: unknown) => string | null;
  /** The same as a JSON Schema, as far as it can say it; `part` is what the schemas are that it holds. */
  readonly form: (part: Schema) => Schema;
  /** Where the schemas are that it holds. */
  readonly holds?: 'schema' | 'schemas' | 'named';
  /** The only values that it says anything about. */
  readonly about?: JsonType;
}

const must = (fits: (value: unknown) => boolean, expected: string) => (value: unknown) =>
  fits(value) ? null : `must be ${expected}`;

const text = {
  mistake: must((value) => typeof value === 'string', 'a text'),
  form: () => ({ type: 'string' }),
};
const flag = {
  mistake: must((value) => typeof value === 'boolean', 'true or false'),
  form: () => ({ type: 'boolean' }),
};
const number = {
  mistake: must((value) => typeof value === 'number', 'a number'),
  form: () => ({ type: 'number' }),
};
const count = {
  mistake: must((value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number, not negative'),
  form: () => ({ type: 'integer', minimum: 0 }),
};
const values = { mistake: must((value) => Array.isArray(value), 'a list'), form: () => ({ type: 'array' }) };
const nameList = { type: 'array', uniqueItems: true, items: { type: 'string' } };
const names = { mistake: must(isListOfNames, 'a list of different names'), form: () => nameList };
const schema = {
  mistake: must(isJsonObject, 'a schema, such as {type: integer}'),
  form: (part: Schema) => part,
  holds: 'schema',
} as const;
const schemaOrFlag = {
  mistake: must((value) => typeof value === 'boolean' || isJsonObject(value), 'true, false or a schema'),
  form: (part: Schema) => ({ anyOf: [{ type: 'boolean' }, part] }),
  holds: 'schema',
} as const;
const schemas = {
  mistake: must(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isJsonObject),
    'a list of at least one schema',
  ),
  form: (part: Schema) => ({ type: 'array', minItems: 1, items: part }),
  holds: 'schemas',
} as const;
const named = {
  mistake: must(
    (value) => isJsonObject(value) && Object.values(value).every(isJsonObject),
    'a mapping of names to schemas',
  ),
  form: (part: Schema) => ({ type: 'object', additionalProperties: part }),
  holds: 'named',
} as const;

/** They say something about a value, and nothing about which values are right. */
export const annotations: Readonly<Record<string, Keyword>> = {
  title: text,
  description: text,
  examples: values,
  deprecated: flag,
  $comment: text,
  'x-personal': flag,
  'x-unbounded': flag,
};

const scalar = { type: ['string', 'number', 'boolean', 'null'] };
const typeName = { enum: jsonTypes };

export const keywords: Readonly<Record<string, Keyword>> = {
  ...annotations,
  type: {
    mistake: must(isType, `one of ${listed(jsonTypes, 'or')}, or a list of one of them and "null"`),
    form: () => ({
      anyOf: [
        typeName,
        { type: 'array', items: typeName, minItems: 1, maxItems: 1 },
        {
          type: 'array',
          items: typeName,
          minItems: 2,
          maxItems: 2,
          uniqueItems: true,
          contains: { const: 'null' },
        },
      ],
    }),
  },
  enum: {
    mistake: must(isEnum, 'a list of 1 to 1000 different texts, numbers, true, false or null'),
    form: () => ({ type: 'array', minItems: 1, maxItems: 1000, uniqueItems: true, items: scalar }),
  },
  const: { mistake: must(isScalar, 'a text, a number, true, false or null'), form: () => scalar },
  minimum: { ...number, about: 'number' },
  maximum: { ...number, about: 'number' },
  exclusiveMinimum: { ...number, about: 'number' },
  exclusiveMaximum: { ...number, about: 'number' },
  multipleOf: {
    mistake: must((value) => typeof value === 'number' && value > 0, 'a number above 0'),
    form: () => ({ type: 'number', exclusiveMinimum: 0 }),
    about: 'number',
  },
  minLength: { ...count, about: 'string' },
  maxLength: { ...count, about: 'string' },
  pattern: {
    mistake: (value) => (typeof value === 'string' ? patternMistake(value) : 'must be a text'),
    form: () => ({ type: 'string', maxLength: longestPattern }),
    about: 'string',
  },
  format: {
    mistake: must(isFormatName, listed(formatNames, 'or')),
    form: () => ({ enum: formatNames }),
    about: 'string',
  },
  items: { ...schemaOrFlag, about: 'array' },
  prefixItems: { ...schemas, about: 'array' },
  minItems: { ...count, about: 'array' },
  maxItems: { ...count, about: 'array' },
  uniqueItems: { ...flag, about: 'array' },
  contains: { ...schema, about: 'array' },
  minContains: { ...count, about: 'array' },
  maxContains: { ...count, about: 'array' },
  properties: { ...named, about: 'object' },
  required: { ...names, about: 'object' },
  additionalProperties: { ...schemaOrFlag, about: 'object' },
  propertyNames: { ...schema, about: 'object' },
  minProperties: { ...count, about: 'object' },
  maxProperties: { ...count, about: 'object' },
  dependentRequired: {
    mistake: must(
      (value) => isJsonObject(value) && Object.values(value).every(isListOfNames),
      'a mapping of names to lists of names',
    ),
    form: () => ({ type: 'object', additionalProperties: nameList }),
    about: 'object',
  },
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: this is how JSON Schema spells it
  then: schema,
  else: schema,
  $ref: text,
};

/** These may stand at the top only. */
export const topKeywords: Readonly<Record<string, Keyword>> = {
  $defs: named,
  $schema: {
    mistake: must((value) => value === dialect, 'JSON Schema 2020-12, or be left out'),
    form: () => ({ const: dialect }),
  },
};

export function keywordOf(name: string): Keyword | undefined {
  return keywords[name] ?? topKeywords[name];
}

/** The types that a schema names; none when it leaves them open. */
export function typesOf({ type }: Schema): readonly JsonType[] {
  return type === undefined ? [] : ([type].flat() as JsonType[]);
}

function isListOfNames(value: unknown): boolean {
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string');
  return isList && new Set(value).size === value.length;
}

/** One type, or one and null: a value that can be of many types is no use to anybody. */
function isType(value: unknown): boolean {
  const types = [value].flat();
  const areKnown = types.every((type) => jsonTypes.includes(type as JsonType));
  return (
    areKnown &&
    (types.length === 1 || (types.length === 2 && types.filter((type) => type === 'null').length === 1))
  );
}

function isEnum(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > 1000) return false;
  return value.every(isScalar) && new Set(value).size === value.length;
}

/** Ajv compares lists and objects by calling what it finds in them, and callers can send a `toString` of their own. */
function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
