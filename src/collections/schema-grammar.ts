import { flag, refuse, text, where } from '../base/json-schema.ts';
import { type CheckForm, createFormCheck } from '../base/yaml/check-form.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import { formatNames } from './formats.ts';
import { longestPattern, patternMistake } from './patterns.ts';
import { type SchemaRole, typeKeywords } from './subschemas.ts';

/** The subset of JSON Schema 2020-12 for collections, in keywords of draft 07, which editors know. */

export const dialect = 'https://json-schema.org/draft/2020-12/schema';
const jsonTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

/** The members of every record that the service sets. Requests cannot. */
export const ownMembers: ReadonlySet<string> = new Set([
  'id',
  'state',
  'actions',
  'created_at',
  'updated_at',
]);

const number = { type: 'number' };
const count = { type: 'integer', minimum: 0 };
const names = { type: 'array', uniqueItems: true, items: text };
/** Scalars only: Ajv compares objects with their `toString`, which callers can send. */
const scalar = {
  type: ['string', 'number', 'boolean', 'null'],
  errorMessage: 'must be a text, a number, true, false or null',
};
const typeName = { enum: jsonTypes };
/** One type, perhaps with "null". */
const types = where(
  { type: 'array' },
  {
    items: typeName,
    minItems: 1,
    maxItems: 2,
    uniqueItems: true,
    anyOf: [{ maxItems: 1 }, { contains: { const: 'null' } }],
    errorMessage: 'must be one type, or a list of one type and "null"',
  },
  typeName,
);

const annotations = {
  title: text,
  description: text,
  examples: { type: 'array' },
  deprecated: flag,
  $comment: text,
  'x-personal': flag,
  'x-unbounded': flag,
};

/** Keywords of JSON Schema and OpenAPI that a declaration cannot have, each with the reason. */
const reasons: readonly (readonly [keywords: string, reason: string])[] = [
  ['default', 'the service stores what the caller sends. Leave it out'],
  ['patternProperties', 'list the members in "properties", or set "additionalProperties" to one schema'],
  ['unevaluatedProperties unevaluatedItems', 'use "additionalProperties" or "items"'],
  ['dependentSchemas dependencies', 'use "dependentRequired", or "if" with "then"'],
  ['additionalItems', 'it is of an older JSON Schema. Use "prefixItems" and "items"'],
  ['$defs definitions', 'definitions stand in "$defs" at the top of the schema'],
  ['nullable', 'it is of OpenAPI 3.0. Add "null" to "type", such as [string, "null"]'],
  ['readOnly', 'to let only an action set the field, name it in "sets" of the action'],
  ['writeOnly', 'callers who read a record read all its fields. Leave it out'],
  ['contentEncoding contentMediaType', 'texts are stored as sent. Use "maxLength" and "pattern"'],
  ['$id $anchor $dynamicAnchor $dynamicRef', 'references lead to "#/$defs/<name>". Use "$defs" and "$ref"'],
  ['$schema', 'it stands at the top of the schema. Leave it out'],
];
const unsupported = Object.fromEntries(
  reasons.flatMap(([keywords, reason]) =>
    keywords.split(' ').map((keyword) => [keyword, refuse(`is not supported: ${reason}`)]),
  ),
);

type Forms = Readonly<Record<string, Readonly<Record<string, Schema>>>>;

/**
 * The form of each keyword, by the type that it applies to. `part` is a schema of another value, `condition` one of the same
 * value.
 */
function formsBy(part: Schema, condition: Schema) {
  const conditions = { type: 'array', minItems: 1, items: condition };
  const partOrFlag = where({ not: flag }, part);
  return {
    any: {
      ...annotations,
      type: types,
      enum: { type: 'array', minItems: 1, maxItems: 1000, uniqueItems: true, items: scalar },
      const: scalar,
      allOf: conditions,
      anyOf: conditions,
      oneOf: conditions,
      not: condition,
      ...where(condition, condition, condition),
      $ref: {
        ...text,
        pattern: '^#/\\$defs/[^/~%]+$',
        errorMessage: 'must lead to "#/$defs/<name>" in this file',
      },
    },
    number: {
      minimum: number,
      maximum: number,
      exclusiveMinimum: number,
      exclusiveMaximum: number,
      multipleOf: { ...number, exclusiveMinimum: 0 },
    },
    string: {
      minLength: count,
      maxLength: count,
      pattern: { ...text, maxLength: longestPattern, format: 'linear-regex' },
      format: { enum: formatNames },
    },
    array: {
      items: partOrFlag,
      prefixItems: { type: 'array', minItems: 1, items: part },
      minItems: count,
      maxItems: count,
      uniqueItems: flag,
      contains: condition,
      minContains: count,
      maxContains: count,
    },
    object: {
      properties: { type: 'object', additionalProperties: part },
      required: names,
      additionalProperties: partOrFlag,
      propertyNames: condition,
      minProperties: count,
      maxProperties: count,
      dependentRequired: { type: 'object', additionalProperties: names },
    },
  } satisfies Forms;
}

const has = (name: string): Schema => ({ required: [name] });
const hasOneOf = (...keywords: readonly string[]): Schema => ({ anyOf: keywords.map(has) });
const both = (...conditions: readonly Schema[]): Schema => ({ allOf: conditions });
const not = (condition: Schema): Schema => ({ not: condition });
const isTrue = (name: string): Schema => ({ ...has(name), properties: { [name]: { const: true } } });
const refused = (condition: Schema, errorMessage: string): Schema => ({ not: condition, errorMessage });
const without = (keywords: readonly string[], message: string): Schema => ({
  propertyNames: refused({ enum: keywords }, message),
});

function isOfType(...wanted: readonly JsonType[]): Schema {
  const named = { enum: wanted };
  return { ...has('type'), properties: { type: { anyOf: [named, { type: 'array', contains: named }] } } };
}

const hasScalarItems = both(
  {
    ...has('items'),
    properties: { items: { type: 'object', ...has('type'), not: isOfType('array', 'object') } },
  },
  not(has('prefixItems')),
);

function rulesOf({ any = {}, top: _, unsupported: __, ...byType }: Forms): readonly Schema[] {
  const all = Object.keys(Object.assign({}, any, ...Object.values(byType)));
  return [
    ...Object.entries(byType).map(([type, keywords]) => {
      const covering = (type === 'number' ? ['number', 'integer'] : [type]) as readonly JsonType[];
      const message = `applies to values of the type "${type}" only, and "type" is another. Leave it out`;
      return where(both(has('type'), not(isOfType(...covering))), without(Object.keys(keywords), message));
    }),
    where(
      has('$ref'),
      without(
        all.filter((name) => !Object.hasOwn({ ...annotations, $ref: text }, name)),
        'cannot stand beside "$ref". Write it into the definition',
      ),
    ),
    where(
      both(isTrue('uniqueItems'), not(hasScalarItems)),
      without(
        ['uniqueItems'],
        'needs "items" of the type "string", "integer", "number" or "boolean": others take too long to compare',
      ),
    ),
  ];
}

const saysWhat = refused(
  not(hasOneOf(...typeKeywords, 'anyOf', 'oneOf')),
  'must define the value by a "type", "enum", "const", "$ref", "anyOf" or "oneOf"',
);

/** A description also bounds the value. */
const whatDescribes: readonly Schema[] = [
  refused(
    both(
      isOfType('string'),
      not({ anyOf: [hasOneOf('maxLength', 'enum', 'const', 'format', '$ref'), isTrue('x-unbounded')] }),
    ),
    'is a text without a limit. Give it a "maxLength", or set "x-unbounded: true"',
  ),
  refused(
    both(isOfType('array'), not(hasOneOf('items', 'prefixItems', '$ref'))),
    'must define the items of the list: add "items", such as {type: integer}',
  ),
  {
    properties: {
      properties: {
        propertyNames: {
          pattern: '^[^\\p{Cc}]{1,128}$',
          errorMessage: 'must have a name of 1 to 128 characters, none of them a control character',
        },
      },
    },
  },
];

function grammar(forms: Forms, more: readonly Schema[] = []): Schema {
  return {
    type: 'object',
    properties: Object.assign({}, ...Object.values(forms)),
    additionalProperties: false,
    allOf: [...rulesOf(forms), ...more],
  };
}

function topForms(part: Schema) {
  return {
    type: { const: 'object', errorMessage: 'must be "object", or be left out' },
    $schema: { const: dialect, errorMessage: 'must be JSON Schema 2020-12, or be left out' },
    $defs: { type: 'object', additionalProperties: part },
    properties: {
      type: 'object',
      minProperties: 1,
      propertyNames: {
        allOf: [
          {
            pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$',
            errorMessage: 'must have a name of 1 to 63 letters, digits and "_" that begins with a letter',
          },
          refused({ enum: [...ownMembers] }, 'is a member that every record has. Choose another name'),
        ],
      },
      additionalProperties: part,
      errorMessage:
        'must be a mapping with at least one field, for example {text: {type: string, maxLength: 280}}',
    },
  };
}

const description = { $ref: '#/$defs/description' };
const condition = { $ref: '#/$defs/condition' };
const alternatives = { properties: { anyOf: { items: description }, oneOf: { items: description } } };

/** For editors: the member `schema` of a declaration, and its definitions. */
export const schemaDefinitions: Readonly<Record<SchemaRole, Schema>> = {
  description: grammar(formsBy(description, condition), [
    saysWhat,
    ...whatDescribes,
    where(not(hasOneOf(...typeKeywords)), alternatives),
  ]),
  condition: grammar(formsBy(condition, condition)),
};
export const topSchema: Schema = {
  ...grammar({ ...formsBy(description, condition), top: topForms(description) }),
  required: ['properties'],
};

/** The loader visits the schemas one by one, so nested ones are only objects here. */
const any = { type: 'object', errorMessage: 'must be a schema, such as {type: integer}' };
const forms = { unsupported, ...formsBy(any, any) };
const formats = { 'linear-regex': patternMistake };
/** The check of one schema without those below it. */
export const schemaChecks: Readonly<Record<SchemaRole | 'top', CheckForm>> = {
  top: createFormCheck({ ...grammar({ ...forms, top: topForms(any) }), required: ['properties'] }, formats),
  description: createFormCheck(grammar(forms, [saysWhat, ...whatDescribes]), formats),
  condition: createFormCheck(grammar(forms), formats),
};

/** Without "type" the types of the possible values. */
export function typesOf({ type, enum: values, const: only }: Schema): readonly JsonType[] {
  if (type !== undefined) return [type].flat() as JsonType[];
  const possible = only !== undefined ? [only] : Array.isArray(values) ? values : [];
  return [...new Set(possible.map((value) => (value === null ? 'null' : (typeof value as JsonType))))];
}
