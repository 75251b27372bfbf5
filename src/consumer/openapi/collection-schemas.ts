import type { Collection, Schema } from '../collections/collection.ts';
import { exampleFields } from './example.ts';

/** The schemas of one collection, under the names by which its operations refer to them. */
export interface CollectionSchemas {
  readonly components: Readonly<Record<string, Schema>>;
  readonly fields: Schema;
  readonly patch: Schema;
  readonly record: Schema;
  readonly page: Schema;
  /** What a request may send, and what comes back; null where no example could be made up. */
  readonly example: { readonly fields: object; readonly record: object } | null;
}

const dateTime = { type: 'string', format: 'date-time' };

export function collectionSchemas(collection: Collection): CollectionSchemas {
  const { name, schema } = collection;
  const components = {
    [`${name}.fields`]: schema,
    [`${name}.patch`]: patchSchema(schema),
    [`${name}.record`]: recordSchema(collection),
    [`${name}.page`]: pageSchema(reference(`${name}.record`)),
  };
  return {
    components,
    fields: reference(`${name}.fields`),
    patch: reference(`${name}.patch`),
    record: reference(`${name}.record`),
    page: reference(`${name}.page`),
    example: exampleOf(collection),
  };
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** What the service adds to the fields. Conditions between the fields are for requests, and not repeated here. */
function recordSchema({ machine, schema }: Collection): Schema {
  const { properties = {}, required = [], additionalProperties, description } = schema;
  const states = machine === null ? {} : stateMembers([...machine.states.keys()], machine.actions);
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: ['id', ...(required as string[]), ...Object.keys(states), ...['created_at', 'updated_at']],
    properties: {
      id: {
        type: 'string',
        format: 'uuid',
        description: 'Made by the service, or by whoever made the record.',
      },
      ...(properties as Schema),
      ...states,
      created_at: dateTime,
      updated_at: dateTime,
    },
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

function stateMembers(
  states: readonly string[],
  actions: readonly string[],
): Readonly<Record<string, Schema>> {
  return {
    state: { type: 'string', enum: states },
    actions: {
      type: 'array',
      items: actions.length === 0 ? { type: 'string' } : { type: 'string', enum: actions },
      description: 'What this caller may do with the record now.',
    },
  };
}

function pageSchema(record: Schema): Schema {
  return {
    type: 'object',
    required: ['items', 'next'],
    properties: {
      items: { type: 'array', items: record },
      next: {
        type: ['string', 'null'],
        description: 'The cursor of the next page; null when this is the last one.',
      },
    },
    additionalProperties: false,
  };
}

/**
 * A merge patch (RFC 7396): nothing must be there, and what may be missing from a record can be taken away. An object
 * is patched member by member, anything else is replaced.
 */
function patchSchema(schema: Schema): Schema {
  const { properties = {}, required = [], additionalProperties } = schema;
  const isRequired = new Set(required as string[]);
  const members = Object.entries(properties as Schema).map(([name, property]) => {
    const change = (property as Schema).properties === undefined ? property : patchSchema(property as Schema);
    return [name, isRequired.has(name) ? change : orNull(change as Schema)];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

function orNull(schema: Schema): Schema {
  const { type, enum: choices, const: only } = schema;
  const isPlain = typeof type === 'string' && choices === undefined && only === undefined;
  return isPlain ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

function exampleOf(collection: Collection): CollectionSchemas['example'] {
  const fields = exampleFields(collection);
  if (fields === null) return null;
  const { machine } = collection;
  const initial = machine?.states.get(machine.initial) ?? new Map<string, never>();
  const actions = [...initial].flatMap(([action, { by }]) => (by === 'client' ? [] : [action]));
  const record = {
    id: '6f9b2c1e-3d5a-4c7e-8b21-0a4f6d8e1c35',
    ...fields,
    ...(machine === null ? {} : { state: machine.initial, actions }),
    created_at: '2026-01-01T08:00:00.000Z',
    updated_at: '2026-01-01T08:00:00.000Z',
  };
  return { fields, record };
}
