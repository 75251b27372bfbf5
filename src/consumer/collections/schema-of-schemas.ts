import { ownMembers, type Schema } from './collection.ts';
import { annotations, type JsonType, keywords, topKeywords } from './schema-keywords.ts';
import { isInPlace, type Role, roleIn, typeSayers } from './schema-roles.ts';
import { nameForm, topNameForm } from './schema-rules.ts';

/**
 * The rules of schema-rules, as far as JSON Schema can say them. In words that the drafts from 07 on have in common:
 * most editors know no later one.
 */

const reference = (role: Role): Schema => ({ $ref: `#/$defs/${role}` });

interface Form {
  readonly form: (part: Schema) => Schema;
  readonly about?: JsonType;
}

function schemaOf(role: Role, known: Readonly<Record<string, Form>>): Schema {
  const members = Object.entries(known).map(([name, { form }]) => {
    // Alternatives are the weaker of the two here; where they describe the value, a rule says so.
    const part = reference(isInPlace(name) ? 'condition' : roleIn({}, name, role));
    return [name, form(part)];
  });
  const rules = [...aboutTypes(known), besideReference, uniqueScalars];
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    additionalProperties: false,
    allOf: role === 'description' ? [...rules, ...whatDescribes] : rules,
  };
}

/** A rule for those that fit a condition. */
// biome-ignore lint/suspicious/noThenProperty: this is how JSON Schema spells it
const where = (condition: Schema, rule: Schema): Schema => ({ if: condition, then: rule });
const has = (name: string): Schema => ({ required: [name] });
const hasOneOf = (names: readonly string[]): Schema => ({ anyOf: names.map(has) });

function isOfType(...types: readonly JsonType[]): Schema {
  const named = { enum: types };
  return {
    required: ['type'],
    properties: { type: { anyOf: [named, { type: 'array', contains: named }] } },
  };
}

/** A keyword that says nothing about values of the type is not taken. */
function aboutTypes(known: Readonly<Record<string, Form>>): readonly Schema[] {
  const names = Object.keys(known).filter((name) => known[name]?.about !== undefined);
  const groups = Map.groupBy(names, (name) => known[name]?.about as JsonType);
  return [...groups].map(([type, group]) =>
    where(
      { required: ['type'], not: type === 'number' ? isOfType('number', 'integer') : isOfType(type) },
      { properties: Object.fromEntries(group.map((name) => [name, false])) },
    ),
  );
}

const besideReference = where(has('$ref'), {
  properties: { $ref: { pattern: '^#/\\$defs/[^/~%]+$' } },
  propertyNames: { enum: ['$ref', ...Object.keys(annotations), ...Object.keys(topKeywords)] },
});

const uniqueScalars = where(
  { required: ['uniqueItems'], properties: { uniqueItems: { const: true } } },
  {
    required: ['items'],
    properties: { items: { required: ['type'], not: isOfType('array', 'object') }, prefixItems: false },
  },
);

/** What describes a value says what it is, how long it can be, and what is in it. */
const whatDescribes: readonly Schema[] = [
  hasOneOf([...typeSayers, 'anyOf', 'oneOf']),
  where(
    { not: hasOneOf(typeSayers) },
    {
      properties: Object.fromEntries(
        ['anyOf', 'oneOf'].map((name) => [name, { items: reference('description') }]),
      ),
    },
  ),
  where(isOfType('string'), {
    anyOf: [
      ...['maxLength', 'enum', 'const', 'format', '$ref'].map(has),
      { required: ['x-unbounded'], properties: { 'x-unbounded': { const: true } } },
    ],
  }),
  where(isOfType('array'), hasOneOf(['items', 'prefixItems', '$ref'])),
  { properties: { properties: { propertyNames: { pattern: nameForm.source } } } },
];

/** Schemas of both roles, to be referred to. */
export const schemaDefinitions: Readonly<Record<Role, Schema>> = {
  description: schemaOf('description', keywords),
  condition: schemaOf('condition', keywords),
};

/** The member `schema` of a declaration. */
export const topSchema: Schema = {
  ...schemaOf('description', {
    ...keywords,
    ...topKeywords,
    type: { form: () => ({ const: 'object' }) },
    properties: {
      about: 'object',
      form: (part) => ({
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: topNameForm.source, not: { enum: [...ownMembers] } },
        additionalProperties: part,
      }),
    },
  }),
  required: ['properties'],
};
