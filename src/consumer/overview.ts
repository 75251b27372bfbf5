import { consumerPrefix, docsPath, openapiPath } from '../base/addresses.ts';
import { dateTime } from '../base/date-time.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { asDeclared, toDeclaration } from '../collections/declaration.ts';
import { limitsAsData } from '../collections/limits.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import * as schema from '../openapi/schemas.ts';

/** The entry point of the consumer API: the collections and their rules, from which a frontend can build its pages. */
export function overview(collections: readonly Collection[]): PublicHandler {
  const answer = json({
    collections: collections.map((collection) =>
      describeCollection(collection, `${consumerPrefix}/${collection.name}`),
    ),
    links: {
      me: `${consumerPrefix}/me`,
      usage: `${consumerPrefix}/me/usage`,
      export: `${consumerPrefix}/me/export`,
      events: `${consumerPrefix}/events`,
      openapi: openapiPath,
      docs: docsPath,
    },
  });
  return () => answer;
}

function describeCollection(collection: Collection, href: string) {
  const declaration = toDeclaration(collection);
  const { name, title, description, schema, index, limits, events, deprecated } = declaration;
  return {
    name,
    title,
    ...(description === null ? {} : { description }),
    href,
    schema,
    index: index.map((field) => field.name),
    ...asDeclared(declaration),
    limits: limitsAsData(limits),
    events: events?.data ?? 'none',
    ...(deprecated === null
      ? {}
      : {
          deprecated: {
            since: dateTime(deprecated.sinceMs),
            sunset: deprecated.sunsetMs === null ? null : dateTime(deprecated.sunsetMs),
            link: deprecated.link,
          },
        }),
  };
}

export function describeOverview(): Description {
  return {
    name: 'readOverview',
    tag: tags.about,
    summary: 'The collections, their limits and links',
    description: 'Everything that a frontend needs to build its pages.',
    answers: answersJson('What there is.', overviewSchema()),
  };
}

function overviewSchema(): Schema {
  const { object, text, texts, mapOf, maybe } = schema;
  const roles = { anyOf: [text, texts], description: 'A role, or several; "any" is owner and client.' };
  const inStates = mapOf({ anyOf: [{ const: 'all' }, texts] }, 'The states, by role.');
  const transition = object(
    {
      to: text,
      by: roles,
      sets: texts,
      clears: texts,
      grants: text,
      chosen_from: text,
      revokes: texts,
      while_parent_accepts: { const: true },
    },
    ['sets', 'clears', 'grants', 'chosen_from', 'revokes', 'while_parent_accepts'],
  );
  const role = object(
    {
      invited_by: texts,
      max: schema.count,
      max_per_user: schema.count,
      scope: text,
      parent_roles: texts,
      previous_owner: text,
    },
    ['invited_by', 'max', 'max_per_user', 'scope', 'parent_roles', 'previous_owner'],
  );
  const collection = {
    name: text,
    title: text,
    description: text,
    href: { ...text, description: 'The path of the collection.' },
    schema: mapOf(true, 'The JSON Schema of the fields.'),
    index: { ...texts, description: 'The fields to filter and sort lists by, besides created_at.' },
    initial: { ...text, description: 'The state of a new record.' },
    states: mapOf(mapOf(transition), 'The actions, by state and name.'),
    editable: { ...texts, description: 'The states in which the fields can be changed.' },
    access: object(
      {
        read: { anyOf: [{ enum: ['owner', 'everyone'] }, inStates] },
        create: texts,
        update: inStates,
        delete: inStates,
        clients: {
          enum: ['none', 'own', 'any'],
          description: 'The records that clients of POST /token may reach.',
        },
        scopes: object({ read: maybe(text), write: maybe(text) }),
      },
      ['create', 'update', 'delete'],
    ),
    roles: mapOf(role, 'The roles of callers in a record, besides owner, everyone and client.'),
    aliases: { type: 'boolean', description: 'Whether records name people by alias.' },
    parent: {
      ...object(
        {
          field: { ...text, description: 'The field with the id of the parent.' },
          collection: text,
          accepts: object({ states: texts, before: text }, ['states', 'before']),
          owned_by: { enum: ['creator', 'parent'] },
          on_delete: { enum: ['restrict', 'cascade', 'keep'] },
          max: schema.count,
          capacity: object({ states: texts, field: text, number: schema.count, overflow: text }, [
            'field',
            'number',
            'overflow',
          ]),
          counts: { anyOf: [texts, { const: true }] },
        },
        ['accepts', 'max', 'capacity', 'counts'],
      ),
      description: 'The collection of the parents.',
    },
    unique: {
      ...schema.listOf(object({ fields: texts, states: texts }, ['states'])),
      description: 'The values that no two records may share.',
    },
    search: { ...texts, description: 'The fields that lists are searched in (?q=).' },
    history: { const: true, description: 'Records have a history.' },
    concurrency: { enum: ['optional', 'required'], description: 'Whether a change needs If-Match.' },
    limits: limitsSchema(),
    events: { enum: ['none', 'thin', 'full'], description: 'What GET /events contains of its records.' },
    deprecated: object({ since: schema.dateTime, sunset: maybe(schema.dateTime), link: maybe(schema.uri) }),
  };
  const optional = [
    'description',
    'initial',
    'states',
    'editable',
    'roles',
    'aliases',
    'parent',
    'unique',
    'search',
    'history',
    'deprecated',
  ];
  return object({
    collections: schema.listOf(object(collection, optional)),
    links: mapOf(text, 'The paths of the other endpoints.'),
  });
}

function limitsSchema(): Schema {
  const { object, count, maybe } = schema;
  const rate = { count: { type: 'integer', minimum: 1 }, window_seconds: count };
  return object({
    per_user: { ...count, description: 'Records of one caller.' },
    bytes: { ...count, description: 'Bytes of the JSON of a record.' },
    writes: object(rate),
    newcomer: { anyOf: [object({ ...rate, for_seconds: count }), { type: 'null' }] },
    expire_seconds: { ...maybe(count), description: 'Seconds from the last change to expiry; null: never.' },
  });
}
