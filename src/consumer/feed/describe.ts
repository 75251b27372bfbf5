import type { Collection } from '../../collections/collection.ts';
import { reachedStates } from '../../collections/declaration-rules.ts';
import { erasedType, isLogged, recordEvents } from '../../events/catalogue.ts';
import { type Description, headerParameter, queryParameter, tags } from '../../openapi/description.ts';
import * as schema from '../../openapi/schemas.ts';
import { longestWaitSeconds, maxUnder } from './read-events.ts';

const { text, count } = schema;

export const eventSchema = {
  ...schema.object({
    type: { ...text, description: 'Such as notes.created, bookings.approved or consumer.erased.' },
    timestamp: { ...schema.dateTime, description: 'When it happened.' },
    data: {
      type: 'object',
      description:
        'A record has id, collection, revision and state; an action also action and from; with "events: full" also fields. Only machine clients that may read all records get owner. consumer.erased has only owner.',
      properties: {
        id: text,
        collection: text,
        revision: text,
        state: schema.maybe(text),
        action: text,
        from: text,
        fields: { type: 'object' },
        fields_too_large: { const: true },
        owner: text,
      },
    },
  }),
};

const position = { ...count, description: 'Its position in the log. A later event has a higher one.' };

/** Describes the route of read-events.ts, and the webhooks. */
export function describeEvents(collections: readonly Collection[]): Description {
  const page = schema.object({
    items: schema.listOf({ allOf: [{ $ref: '#/components/schemas/Event' }], ...schema.object({ position }) }),
    next: { ...count, description: 'The value of "after" for the next request.' },
    reset: {
      type: 'boolean',
      description: 'The requested events are pruned: read the lists again, and continue from "next".',
    },
  });
  const stream = { type: 'string', description: 'Server-sent events: id is the position, event the type.' };
  return {
    name: 'readEvents',
    tag: tags.events,
    summary: 'Read events, live or afterwards',
    description:
      'The caller\'s own events; a machine client gets those of all records that it may read. With "Accept: text/event-stream" a live stream, else a page.',
    parameters: [
      queryParameter('collection', 'Only of these collections, separated by commas.', text),
      queryParameter(
        'in',
        `Also what everyone can read under these records, separated by commas, such as teams/<id>. At most ${maxUnder}; 404 for one that the caller cannot read.`,
        text,
      ),
      queryParameter('after', 'Only events after this position. Without it, only new events.', count),
      queryParameter(
        'wait',
        'For a page: how many seconds to wait if there is no event yet (long polling).',
        {
          ...count,
          maximum: longestWaitSeconds,
        },
      ),
      headerParameter(
        'Last-Event-ID',
        'For a stream that reconnects: the id of the last event. It takes precedence over "after".',
      ),
    ],
    answers: {
      200: {
        description: 'The events, in the order in which they happened.',
        content: { 'application/json': { schema: page }, 'text/event-stream': { schema: stream } },
      },
    },
    errors: ['too_many_streams', 'client_not_admitted', 'not_found'],
    budget: 'reads',
    webhooks: { names: typesOf(collections), body: { $ref: '#/components/schemas/Event' } },
    schemas: { Event: eventSchema },
  };
}

/** Every possible type of event. */
function typesOf(collections: readonly Collection[]): readonly string[] {
  const ofRecords = collections.flatMap(({ name, machine, events }) =>
    [...recordEvents, ...reachedStates(machine)]
      .filter((kind) => events !== null && isLogged(events, kind))
      .map((kind) => `${name}.${kind}`),
  );
  return [...ofRecords, erasedType];
}
