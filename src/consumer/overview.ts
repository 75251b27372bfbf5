import { json, type PublicHandler } from '../base/handler.ts';
import type { Collection, StateMachine } from './collections/collection.ts';
import { dateTime } from './date-time.ts';
import { limitsAsData } from './openapi/limits-in-words.ts';

/** GET /api/consumer/v1: the collections and their rules: what a frontend needs to draw itself. */
export function overview(collections: readonly Collection[], prefix: string): PublicHandler {
  const answer = json({
    collections: collections.map((collection) =>
      describeCollection(collection, `${prefix}/${collection.name}`),
    ),
    links: {
      me: `${prefix}/me`,
      usage: `${prefix}/me/usage`,
      export: `${prefix}/me/export`,
      openapi: '/openapi.json',
      docs: '/docs',
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
