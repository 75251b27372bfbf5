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
      'A position in the event log. A reader that continues there misses no change that the answer does not contain.',
    ),
    schema: { type: 'integer', minimum: 0 },
  },
  'Events-Scope': {
    ...sometimes(
      'Sent if a stream of all events does not contain every change of the list or record. "named": a stream that names the collection does; "in=issues/<id>": a stream with this parameter does; "own": streams contain only own records of the caller; "none": no stream does.',
    ),
    schema: { anyOf: [{ enum: ['named', 'own', 'none'] }, { type: 'string', pattern: '^in=' }] },
  },
};
