import { consumerPrefix, docsPath, openapiPath } from '../base/addresses.ts';
import { dateTime } from '../base/date-time.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { asDeclared } from '../collections/declaration.ts';
import { declarationForm } from '../collections/declaration-schema.ts';
import { limitsAsData } from '../collections/limits.ts';
import { shownForm } from '../collections/shown-form.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import type { Schema, Schemas } from '../openapi/openapi-types.ts';
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
  const { name, title, description, schema, index, limits, events, deprecated } = collection;
  return {
    name,
    title,
    ...(description === null ? {} : { description }),
    href,
    schema,
    index: index.map((field) => field.name),
    ...asDeclared(collection),
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

/** The declared keys, as their schema describes them, and what the service adds. */
function overviewSchema(): Schema {
  const { text } = schema;
  const forms = declarationForm.properties as Schemas;
  const { required, properties } = shownForm(declarationForm) as {
    readonly required: readonly string[];
    readonly properties: Schemas;
  };
  const described = Object.entries(properties).map(([key, shown]) => [
    key,
    { ...shown, description: forms[key]?.description },
  ]);
  const collection = {
    type: 'object',
    required: ['name', 'title', 'href', 'index', 'limits', ...required],
    properties: {
      name: text,
      href: { ...text, description: 'The path of the collection.' },
      ...Object.fromEntries(described),
      title: text,
      description: text,
      cards: {
        ...schema.object({ collection: text, name: text }),
        description: 'Where people write what they are called: a collection, and its field with the name.',
      },
      initial: { ...text, description: 'The state of a new record.' },
      limits: limitsSchema(),
    },
  };
  return schema.object({
    collections: schema.listOf(collection),
    links: schema.mapOf(text, 'The paths of the other endpoints.'),
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
