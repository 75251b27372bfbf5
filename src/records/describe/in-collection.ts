import { rememberLast } from '../../base/recent-map.ts';
import { isJsonObject } from '../../base/strict-json.ts';
import type { Collection, StateMachine } from '../../collections/collection.ts';
import { formats, isFormatName } from '../../collections/formats.ts';
import { matrixOf } from '../../collections/matrix.ts';
import { describeDeprecation } from '../../collections/normalise.ts';
import type { Description } from '../../openapi/description.ts';
import type { Headers, Parameter, Response, Schema, Schemas, Tag } from '../../openapi/openapi-types.ts';
import { closedObject, dateTime, listOf } from '../../openapi/schemas.ts';

export type OwnDescription = Omit<Description, 'tag'>;

export const schemasOf = rememberLast(recordSchemas);
const tagOf = rememberLast(collectionTag);

export function describeIn(
  collection: Collection,
  purpose: 'read' | 'write',
  own: OwnDescription,
): Description {
  const { name, title, access, deprecated } = collection;
  const { record, components } = schemasOf(collection);
  const scope = access.scopes[purpose];
  const meaning = `${purpose === 'read' ? 'Reading' : 'Changing'} ${title}.`;
  return {
    ...own,
    name: `${name}_${own.name}`,
    tag: tagOf(collection),
    budget: purpose === 'read' ? 'reads' : 'writes',
    scope: scope === null ? null : { name: scope, meaning },
    isForPeople: access.clients === 'none',
    deprecated: deprecated === null ? undefined : true,
    headers: describeDeprecation(collection),
    current: record.schema,
    schemas: components,
  };
}

/** The table of `check --matrix`, for collections with several people: the states by role and verb. */
function collectionTag(collection: Collection): Tag {
  const { name, title, description, isShared } = collection;
  const { states, rows } = matrixOf(collection);
  const roles: Record<string, Record<string, unknown>> = {};
  for (const { role, verb, states: allowed } of rows)
    if (allowed.length > 0) roles[role] = { ...roles[role], [verb]: allowed };
  return {
    name,
    description: description === null ? title : `${title}\n\n${description}`,
    ...(isShared ? { 'x-matrix': { states, roles } } : {}),
  };
}

export function recordAnswer(collection: Collection, description: string, headers: Headers): Response {
  return { description, headers, content: { 'application/json': schemasOf(collection).record } };
}

export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record.',
  schema: { type: 'string', format: 'uuid' },
};

/** The schemas of requests and answers; `components` are the named ones that they refer to. */
export function recordSchemas(collection: Collection) {
  const { name, schema } = collection;
  const example = exampleFields(collection);
  // A change of one field.
  const change = Object.fromEntries(Object.entries(example ?? {}).slice(0, 1));
  const media = (kind: string) => ({ schema: { $ref: `#/components/schemas/${name}.${kind}` } });
  const one = media('record');
  return {
    components: {
      [`${name}.fields`]: withExample(schema, example),
      [`${name}.patch`]: withExample(patchSchema(schema), example && change),
      [`${name}.record`]: recordSchema(collection),
      [`${name}.page`]: pageSchema(one.schema),
    },
    fields: media('fields'),
    patch: media('patch'),
    record: one,
    page: media('page'),
  };
}

function withExample(schema: Schema, example: object | null): Schema {
  return example === null ? schema : { ...schema, examples: [example] };
}

/** Without the conditions between fields, which are for requests. */
function recordSchema(collection: Collection): Schema {
  const { machine, schema } = collection;
  const { properties = {}, required = [], additionalProperties, description } = schema;
  const states = {
    ...(machine === null ? {} : stateMembers(machine)),
    ...sharedSchemas(collection),
    ...countsSchema(collection),
  };
  const id = {
    type: 'string',
    format: 'uuid',
    description: 'Created by the service, or by the caller that creates the record.',
  };
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: ['id', ...(required as string[]), ...Object.keys(states), 'created_at', 'updated_at'],
    properties: { id, ...(properties as Schemas), ...states, created_at: dateTime, updated_at: dateTime },
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

function stateMembers({ states, actions }: StateMachine): Schemas {
  return {
    // Null: the record is older than the states of its collection.
    state: { type: ['string', 'null'], enum: [...states.keys(), null] },
    actions: {
      ...listOf(actions.length === 0 ? { type: 'string' } : { type: 'string', enum: actions }),
      description: 'The actions that this caller may take now.',
    },
  };
}

export const aliasSchema: Schema = {
  type: 'string',
  pattern: '^per_[A-Za-z0-9_-]{22}$',
};

/** The members of a record in a shared collection. */
function sharedSchemas({ isShared, aliases, access, roles }: Collection): Schemas {
  if (!isShared) return {};
  const names = ['owner', ...(access.clients === 'none' ? [] : ['client']), ...Object.keys(roles)];
  const granted = Object.entries(roles).filter(([, { kind }]) => kind === 'granted');
  const own = {
    roles: {
      ...listOf({ type: 'string', enum: names }),
      description: 'The roles of this caller in the record.',
    },
  };
  if (!aliases) return own;
  const people = {
    type: 'object',
    properties: Object.fromEntries(granted.map(([role]) => [role, aliasSchema])),
    additionalProperties: false,
    description: 'The people with a role that an action has granted.',
  };
  const about = 'The alias of a person in this record and those under it; it differs in every other record.';
  return { ...own, owner: { ...aliasSchema, description: about }, people };
}

/** The number of records under this one. */
function countsSchema({ children }: Collection): Schemas {
  const number = { type: 'integer', minimum: 0 };
  const shown = children.flatMap(({ name, parent }) => {
    if (parent.counts.length === 0) return [];
    const states = parent.counts.flatMap((state) => (state === null ? [] : [[state, number] as const]));
    const inStates = closedObject(Object.fromEntries(states));
    return [[name, states.length === 0 ? number : inStates] as const];
  });
  if (shown.length === 0) return {};
  const counts = closedObject(Object.fromEntries(shown));
  return {
    counts: { ...counts, description: 'How many records are under this one, by collection and state.' },
  };
}

function pageSchema(record: Schema): Schema {
  const next = {
    type: ['string', 'null'],
    description: 'The cursor of the next page; null on the last one.',
  };
  return closedObject({ items: listOf(record), next });
}

/** A merge patch (RFC 7396): nothing is required, optional members may be null, objects are patched member by member. */
function patchSchema({ properties = {}, required = [], additionalProperties }: Schema): Schema {
  const isRequired = new Set(required as string[]);
  const members = Object.entries(properties as Schemas).map(([name, property]) => {
    const change = changeOf(property);
    return [name, isRequired.has(name) ? change : orNull(change)];
  });
  const others = isJsonObject(additionalProperties)
    ? orNull(changeOf(additionalProperties))
    : additionalProperties;
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(others === undefined ? {} : { additionalProperties: others }),
  };
}

function changeOf(schema: Schema): Schema {
  const isObject = schema.properties !== undefined || isJsonObject(schema.additionalProperties);
  return isObject ? patchSchema(schema) : schema;
}

function orNull(schema: Schema): Schema {
  const { type, enum: choices, const: only } = schema;
  const isPlain = typeof type === 'string' && choices === undefined && only === undefined;
  return isPlain ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

type Fields = Readonly<Record<string, unknown>>;

/** An example that fits the schema; null if the guess does not fit. */
function exampleFields({ schema, checkFields }: Collection): Fields | null {
  const made = exampleOf(schema) as Fields;
  const wrong = new Set(checkFields(made).map(({ pointer }) => pointer.split('/')[1]));
  const right = Object.fromEntries(Object.entries(made).filter(([name]) => !wrong.has(name)));
  return checkFields(right).length === 0 ? right : null;
}

/** The example of the schema, or the smallest value within its bounds. */
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
