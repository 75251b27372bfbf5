import { isJsonObject } from '../json-object.ts';
import type { JsonSchema } from '../json-schema.ts';
import { pointerTo } from './json-pointer.ts';

/** By format: what is wrong with a text, such as "must be a date"; null when nothing is. */
export type Formats = Readonly<Record<string, (text: string) => string | null>>;

/** A keyword that a value does not fit. */
export interface FormError {
  readonly keyword: string;
  /** The schema with this keyword. */
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly data: unknown;
  /** The member of `data` that is missing, not known, or has a wrong name. */
  readonly member?: string;
}

/**
 * Checks data against a JSON Schema, keyword by keyword, and fills in defaults. Ajv compiles a schema first; for a declaration,
 * which is checked once, that took a sixth of a start.
 */
export function formErrors(
  schema: JsonSchema,
  data: unknown,
  formats: Formats,
  pointer = '',
): readonly FormError[] {
  const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword));
  if (unknown !== undefined) throw new Error(`The check of forms does not know the keyword "${unknown}".`);
  const errors: FormError[] = [];
  const place: Place = {
    schema,
    pointer,
    visit: (part, value, at = pointer) => formErrors(part as JsonSchema, value, formats, at),
    fits: (part, value) => formErrors(part as JsonSchema, value, formats).length === 0,
  };
  for (const [keyword, fits] of Object.entries(assertions))
    if (keyword in schema && !fits(schema[keyword], data, place))
      errors.push({ keyword, schema, pointer, data });
  const format = formats[String(schema.format)];
  if (typeof data === 'string' && format !== undefined && format(data) !== null)
    errors.push({ keyword: 'format', schema, pointer, data });
  for (const [keyword, apply] of Object.entries(applicators))
    if (keyword in schema) errors.push(...apply(schema[keyword], data, place));
  if (Array.isArray(data))
    for (const [keyword, apply] of Object.entries(ofLists))
      if (keyword in schema) errors.push(...apply(schema[keyword], data, place));
  if (isJsonObject(data))
    for (const [keyword, apply] of Object.entries(ofObjects))
      if (keyword in schema) errors.push(...apply(schema[keyword], data, place));
  return errors;
}

interface Place {
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly visit: (schema: unknown, data: unknown, pointer?: string) => readonly FormError[];
  readonly fits: (schema: unknown, data: unknown) => boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: each keyword knows the form of its own value
type Expected = any;
type Assertion = (expected: Expected, data: unknown, place: Place) => boolean;
type Applicator<Data> = (expected: Expected, data: Data, place: Place) => readonly FormError[];

const isNumber = (data: unknown): data is number => typeof data === 'number';
const isText = (data: unknown): data is string => typeof data === 'string';
const lengthOf = (text: string) => [...text].length;

function isOfType(data: unknown, type: string): boolean {
  if (type === 'null') return data === null;
  if (type === 'array') return Array.isArray(data);
  if (type === 'object') return isJsonObject(data);
  return type === 'integer' ? Number.isInteger(data) : typeof data === type;
}

/** One error each. Of several mistakes at one place the first is reported. */
const assertions: Readonly<Record<string, Assertion>> = {
  type: (types, data) => [types].flat().some((type) => isOfType(data, type)),
  minimum: (limit, data) => !isNumber(data) || data >= limit,
  maximum: (limit, data) => !isNumber(data) || data <= limit,
  exclusiveMinimum: (limit, data) => !isNumber(data) || data > limit,
  minLength: (limit, data) => !isText(data) || lengthOf(data) >= limit,
  maxLength: (limit, data) => !isText(data) || lengthOf(data) <= limit,
  pattern: (pattern, data) => !isText(data) || new RegExp(pattern, 'u').test(data),
  const: (only, data) => data === only,
  enum: (values, data) => values.includes(data),
  not: (part, data, { fits }) => !fits(part, data),
  anyOf: (parts, data, { fits }) => parts.some((part: JsonSchema) => fits(part, data)),
  contains: (part, data, { fits }) => !Array.isArray(data) || data.some((item) => fits(part, item)),
  minItems: (limit, data) => !Array.isArray(data) || data.length >= limit,
  maxItems: (limit, data) => !Array.isArray(data) || data.length <= limit,
  minProperties: (limit, data) => !isJsonObject(data) || Object.keys(data).length >= limit,
  maxProperties: (limit, data) => !isJsonObject(data) || Object.keys(data).length <= limit,
};

const applicators: Readonly<Record<string, Applicator<unknown>>> = {
  allOf: (parts, data, { visit }) => parts.flatMap((part: JsonSchema) => visit(part, data)),
  if: (condition, data, { schema, fits, visit }) =>
    visit((fits(condition, data) ? schema.then : schema.else) ?? {}, data),
};

const ofLists: Readonly<Record<string, Applicator<readonly unknown[]>>> = {
  uniqueItems: (_, data, { schema, pointer }) => {
    const second = data.findLastIndex((item, index) => data.indexOf(item) < index);
    return second < 0 ? [] : [{ keyword: 'uniqueItems', schema, pointer: pointerTo(pointer, second), data }];
  },
  items: (part, data, { pointer, visit }) =>
    data.flatMap((item, index) => visit(part, item, pointerTo(pointer, index))),
};

const ofObjects: Readonly<Record<string, Applicator<Record<string, unknown>>>> = {
  required: (names: readonly string[], data, { schema, pointer }) =>
    names
      .filter((member) => data[member] === undefined)
      .map((member) => ({ keyword: 'required', schema, pointer, data, member })),
  propertyNames: (part, data, { pointer, visit }) =>
    Object.keys(data).flatMap((member) =>
      visit(part, member).map((error) => ({ ...error, pointer, member })),
    ),
  additionalProperties: (part, data, { schema, pointer, visit }) =>
    Object.keys(data)
      .filter((member) => !Object.hasOwn(schema.properties ?? {}, member))
      .flatMap((member) =>
        part === false
          ? [{ keyword: 'additionalProperties', schema, pointer, data, member }]
          : visit(part, data[member], pointerTo(pointer, member)),
      ),
  properties: (parts: Readonly<Record<string, JsonSchema>>, data, { pointer, visit }) =>
    Object.entries(parts).flatMap(([member, part]) => {
      if (data[member] === undefined && part.default !== undefined)
        data[member] = structuredClone(part.default);
      return data[member] === undefined ? [] : visit(part, data[member], pointerTo(pointer, member));
    }),
};

const annotations = ['title', 'description', 'default', 'examples', 'errorMessage', 'writeOnly'];
const keywords = new Set([
  ...[assertions, applicators, ofLists, ofObjects].flatMap(Object.keys),
  ...annotations,
  ...['format', 'then', 'else'],
]);
