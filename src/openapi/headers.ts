import type { Header, Headers } from './openapi-types.ts';

export function sometimes(description: string): Header {
  return { description, schema: { type: 'string' } };
}

export function always(description: string): Header {
  return { ...sometimes(description), required: true };
}

export const version: Headers = {
  ETag: always('The version of the record, for If-Match and If-None-Match.'),
};

export function budgetHeaders(name: 'reads' | 'writes'): Headers {
  return {
    'RateLimit-Policy': sometimes(`The budget: its name "${name}", how much (q) in how many seconds (w).`),
    RateLimit: sometimes(`What is left of "${name}" (r), and in how many seconds it is full again (t).`),
  };
}

export const eventsHeaders: Headers = {
  'Events-Position': {
    ...always(
      'The position in the log of events from which on a reader misses nothing that the answer lacks.',
    ),
    schema: { type: 'integer', minimum: 0 },
  },
  'Events-Scope': {
    ...sometimes(
      'Sent when a stream of all events does not tell the caller of every change of the list or record: "named" = a stream that names the collection does, "in=issues/<id>" = a stream with this parameter does, "own" = of its own records only, "none" = of none.',
    ),
    schema: { anyOf: [{ enum: ['named', 'own', 'none'] }, { type: 'string', pattern: '^in=' }] },
  },
};
