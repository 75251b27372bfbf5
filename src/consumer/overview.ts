import { consumerPrefix, docsPath, openapiPath } from '../base/addresses.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import type { Collection, StateMachine } from './collections/collection.ts';
import { limitsAsData } from './collections/limits-in-words.ts';
import { dateTime } from './date-time.ts';
import { overviewSchema } from './overview-schema.ts';

/** Where the consumer API begins: the collections and their rules: what a frontend needs to draw itself. */
export function overview(collections: readonly Collection[]): PublicHandler {
  const answer = json({
    collections: collections.map((collection) =>
      describeCollection(collection, `${consumerPrefix}/${collection.name}`),
    ),
    links: {
      me: `${consumerPrefix}/me`,
      usage: `${consumerPrefix}/me/usage`,
      export: `${consumerPrefix}/me/export`,
      openapi: openapiPath,
      docs: docsPath,
    },
  });
  return () => answer;
}

function describeCollection(collection: Collection, href: string) {
  const { name, title, description, schema, index, machine, access, concurrency, limits, deprecated } =
    collection;
  return {
    name,
    title,
    ...(description === null ? {} : { description }),
    href,
    schema,
    index: index.map((field) => field.name),
    ...(machine === null ? {} : describeMachine(machine)),
    access,
    concurrency,
    limits: limitsAsData(limits),
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

function describeMachine({ initial, states, editable }: StateMachine) {
  return {
    initial,
    states: Object.fromEntries(
      [...states].map(([state, transitions]) => [state, Object.fromEntries(transitions)]),
    ),
    editable: [...editable],
  };
}

export function describeOverview(): Description {
  return {
    name: 'readOverview',
    tag: tags.about,
    summary: 'The collections, their limits and links',
    description: 'All that a frontend needs to draw itself.',
    answers: answersJson('What there is.', overviewSchema()),
  };
}
