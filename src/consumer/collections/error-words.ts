import type { ErrorObject } from 'ajv';
import { pointerTo } from '../../base/yaml/json-pointer.ts';
import type { FieldError } from './collection.ts';
import { formats, isFormatName } from './formats.ts';
import type { JsonType } from './schema-keywords.ts';

const typeWords: Readonly<Record<JsonType, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Enough to help, too little to fill a page with. */
const longestWord = 200;
/** A member's name that the caller made up is repeated only when it is short. */
const longestName = 64;

type Params = Readonly<Record<string, unknown>>;

const words: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${([type].flat() as JsonType[]).map((one) => typeWords[one]).join(' or ')}`,
  enum: ({ allowedValues }) => {
    const values = (allowedValues as readonly unknown[]).map((value) => JSON.stringify(value)).join(', ');
    return `must be one of ${shortOr(values, 'the values of the schema')}`;
  },
  const: ({ allowedValue }) => `must be ${shortOr(JSON.stringify(allowedValue), 'the value of the schema')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  pattern: ({ pattern }) => `must have the form ${shortOr(String(pattern), 'of the schema')}`,
  format: ({ format }) =>
    isFormatName(format)
      ? `must be a ${format} such as ${formats[format].example}`
      : 'must have the format of the schema',
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  uniqueItems: () => 'must not have an item twice',
  contains: ({ minContains, maxContains }) =>
    `must have at least ${counted(minContains, 'item')}${maxContains === undefined ? '' : ` and at most ${maxContains}`} of a certain form`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'member')}`,
  propertyNames: () => 'has a member with a name that is not allowed',
  required: () => 'is required',
  dependentRequired: ({ property }) => `is required when "${property}" is there`,
  additionalProperties: () => 'is not a member of the schema',
  'false schema': () => 'is not allowed here',
  anyOf: () => 'must be one of the alternatives of the schema',
  oneOf: () => 'must be exactly one of the alternatives of the schema',
  not: () => 'is of a form that is not allowed',
};

function shortOr(text: string, otherwise: string): string {
  return text.length > longestWord ? otherwise : text;
}

function counted(number: unknown, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A mistake in words for people, without the value that was sent. */
export function inWords(errors: readonly ErrorObject[], pointer: string): FieldError {
  // Where alternatives failed, the last one speaks of all of them; of a condition that failed the first says what it asks.
  const last = errors.at(-1);
  const error = last?.keyword === 'if' ? errors[0] : last;
  if (error === undefined) return { pointer, message: 'does not fit the schema' };
  const { keyword, params, instancePath } = error;
  const at = `${pointer}${instancePath}`;
  const member = params.missingProperty ?? params.additionalProperty;
  if (typeof member === 'string' && member.length > longestName) return unknownMember(at, member);
  return {
    pointer: member === undefined ? at : pointerTo(at, member),
    message: words[keyword]?.(params) ?? 'does not fit the schema',
  };
}

export function unknownMember(pointer: string, name: string): FieldError {
  if (name.length > longestName) return { pointer, message: 'has a member that is not one of the schema' };
  return { pointer: pointerTo(pointer, name), message: 'is not a member of the schema' };
}
