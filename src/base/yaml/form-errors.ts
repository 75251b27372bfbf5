import type { JsonSchema } from '../json-schema.ts';
import { isJsonObject, membersOf, pointerTo } from '../strict-json.ts';
import { nearest } from './mistakes.ts';

/** Checks by format: the mistake in a text, such as "must be a date"; null if there is none. */
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
  const place: Place = {
    schema,
    pointer,
    formats,
    visit: (part, value, at = pointer) => formErrors(part as JsonSchema, value, formats, at),
    fits: (part, value) => formErrors(part as JsonSchema, value, formats).length === 0,
  };
  const unknown = Object.keys(schema).find((keyword) => !(keyword in keywords));
  if (unknown !== undefined) throw new Error(`The check of forms does not know the keyword "${unknown}".`);
  return inOrder.flatMap(([keyword, check]) => {
    const result = !(keyword in schema) || check(schema[keyword], data, place);
    if (typeof result !== 'boolean') return result;
    return result ? [] : [{ keyword, schema, pointer, data }];
  });
}

interface Place {
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly formats: Formats;
  readonly visit: (schema: unknown, data: unknown, pointer?: string) => readonly FormError[];
  readonly fits: (schema: unknown, data: unknown) => boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: each keyword knows the form of its own value
type Expected = any;
/** True if the value fits, otherwise the mistakes. */
type Check = (expected: Expected, data: unknown, place: Place) => boolean | readonly FormError[];

const isNumber = (data: unknown): data is number => typeof data === 'number';
const isText = (data: unknown): data is string => typeof data === 'string';
const lengthOf = (text: string) => [...text].length;

function isOfType(data: unknown, type: string): boolean {
  if (type === 'null') return data === null;
  if (type === 'array') return Array.isArray(data);
  if (type === 'object') return isJsonObject(data);
  return type === 'integer' ? Number.isInteger(data) : typeof data === type;
}

function respell(data: Record<string, unknown>, member: string, { properties = {} }: JsonSchema): void {
  const meant = nearest(member, Object.keys(properties as JsonSchema));
  if (meant === null || data[meant] !== undefined) return;
  data[meant] = data[member];
  delete data[member];
}

/** Empties or takes out the values that are no use to further rules, and returns their pointers. */
export function takeOut(data: unknown, errors: readonly FormError[]): readonly string[] {
  return errors.flatMap(({ keyword, pointer, member }) => {
    const isUseless =
      member === undefined ? /^(type|enum|const|anyOf)$/.test(keyword) : keyword === 'required';
    let [value, path, at, name] = [data, '', '', ''];
    let holder: Record<string, unknown> = {};
    for (const next of isUseless ? membersOf(pointer) : []) {
      path = pointerTo(path, next);
      // An item of a list goes with its list, so that the places of the others stay.
      if (isJsonObject(value)) [holder, name, at] = [value, next, path];
      value = (value as JsonSchema | undefined)?.[next];
    }
    if (!Object.hasOwn(holder, name)) return [];
    if (keyword !== 'required' && !isJsonObject(holder[name])) holder[name] = {};
    else delete holder[name];
    return [at];
  });
}

const isAnnotation: Check = () => true;

/** In the order in which mistakes are found: of several mistakes at one place the first is reported. */
const keywords: Readonly<Record<string, Check>> = {
  title: isAnnotation,
  description: isAnnotation,
  default: isAnnotation,
  examples: isAnnotation,
  errorMessage: isAnnotation,
  writeOnly: isAnnotation,
  propertyNames: (part, data, { pointer, visit }) =>
    !isJsonObject(data) ||
    Object.keys(data).flatMap((member) =>
      visit(part, member).map((error) => ({ ...error, pointer, member })),
    ),
  // Before others, so that these keywords find a misspelt member under its right name.
  additionalProperties: (part, data, { schema, pointer, visit }) =>
    !isJsonObject(data) ||
    Object.keys(data)
      .filter((member) => !Object.hasOwn(schema.properties ?? {}, member))
      .flatMap((member) => {
        if (part !== false) return visit(part, data[member], pointerTo(pointer, member));
        respell(data, member, schema);
        return [{ keyword: 'additionalProperties', schema, pointer, data, member }];
      }),
  type: (types, data) => [types].flat().some((type) => isOfType(data, type)),
  minimum: (limit, data) => !isNumber(data) || data >= limit,
  maximum: (limit, data) => !isNumber(data) || data <= limit,
  exclusiveMinimum: (limit, data) => !isNumber(data) || data > limit,
  minLength: (limit, data) => !isText(data) || lengthOf(data) >= limit,
  maxLength: (limit, data) => !isText(data) || lengthOf(data) <= limit,
  pattern: (pattern, data) => !isText(data) || new RegExp(pattern, 'u').test(data),
  format: (name, data, { formats }) => !isText(data) || formats[name]?.(data) === null,
  const: (only, data) => data === only,
  enum: (values, data) => values.includes(data),
  not: (part, data, { fits }) => !fits(part, data),
  anyOf: (parts, data, { fits }) => parts.some((part: JsonSchema) => fits(part, data)),
  allOf: (parts, data, { visit }) => parts.flatMap((part: JsonSchema) => visit(part, data)),
  if: (condition, data, { schema, fits, visit }) =>
    visit((fits(condition, data) ? schema.then : schema.else) ?? {}, data),
  // biome-ignore lint/suspicious/noThenProperty: this is how JSON Schema spells it; "if" looks at it
  then: isAnnotation,
  else: isAnnotation,
  minItems: (limit, data) => !Array.isArray(data) || data.length >= limit,
  maxItems: (limit, data) => !Array.isArray(data) || data.length <= limit,
  contains: (part, data, { fits }) => !Array.isArray(data) || data.some((item) => fits(part, item)),
  uniqueItems: (_, data, { schema, pointer }) => {
    if (!Array.isArray(data)) return true;
    const second = data.findLastIndex((item, index) => data.indexOf(item) < index);
    return second < 0 || [{ keyword: 'uniqueItems', schema, pointer: pointerTo(pointer, second), data }];
  },
  items: (part, data, { pointer, visit }) =>
    !Array.isArray(data) || data.flatMap((item, index) => visit(part, item, pointerTo(pointer, index))),
  minProperties: (limit, data) => !isJsonObject(data) || Object.keys(data).length >= limit,
  maxProperties: (limit, data) => !isJsonObject(data) || Object.keys(data).length <= limit,
  required: (names: readonly string[], data, { schema, pointer }) =>
    !isJsonObject(data) ||
    names
      .filter((member) => data[member] === undefined)
      .map((member) => ({ keyword: 'required', schema, pointer, data, member })),
  properties(parts: Readonly<Record<string, JsonSchema>>, data, { pointer, visit }) {
    if (!isJsonObject(data)) return true;
    const members: Record<string, unknown> = data;
    return Object.entries(parts).flatMap(([member, part]) => {
      if (members[member] === undefined && part.default !== undefined)
        members[member] = structuredClone(part.default);
      return members[member] === undefined ? [] : visit(part, members[member], pointerTo(pointer, member));
    });
  },
};

const inOrder = Object.entries(keywords);
