import type { Collection } from '../../../src/collections/collection.ts';
import { readCollections } from '../../../src/collections/read-collections.ts';
import { readCollectionFiles } from '../../../src/config/files.ts';

/** Collections from the plainest to one with everything, and the shipped ones. */

/** The unusual ones in YAML, by name. */
export const declarations: Record<string, string> = {};

function declared(name: string, text: string): Collection {
  const [collection] = readCollections([{ name, path: `${name}.yaml`, text }]);
  if (collection === undefined) throw new Error(name);
  declarations[name] = text;
  return collection;
}

export const smallest = declared('x', 'schema: {properties: {text: {type: string, maxLength: 280}}}');

export const everything = declared(
  'every-thing-1',
  `
title: Things & <b>more</b> "quoted"
description: |
  The first paragraph, with <em>markup</em> & it's 1 of 2.

  The second.
schema:
  description: A thing.
  required: [slot, seats, price, paid]
  properties:
    slot: { type: string, format: date-time, description: "When <em>it</em> begins." }
    seats: { type: integer, minimum: 1, maximum: 8 }
    price: { type: number, exclusiveMinimum: 0, multipleOf: 0.25 }
    paid: { type: boolean }
    code: { type: string, pattern: "^[A-Z]{3}-[0-9]{4}$", maxLength: 8 }
    note: { type: string, maxLength: 500, x-personal: true }
    kind: { enum: [big, small] }
    where: { $ref: "#/$defs/place" }
    guests: { type: array, maxItems: 3, items: { required: [age], properties: { age: { type: integer, minimum: 0 } } } }
    extra: { type: object, properties: {}, additionalProperties: { type: integer } }
    either: { type: [string, "null"], maxLength: 3 }
    from: { type: string, format: ipv6 }
  $defs:
    place: { required: [lat], properties: { lat: { type: number }, long: { type: number } } }
index: [slot, seats, price, paid]
states:
  draft: { submit: submitted, cancel: { to: cancelled, by: any } }
  submitted: { approve-it: { to: approved, by: client }, cancel: cancelled }
  approved: { cancel: { to: cancelled, by: any } }
  cancelled: {}
editable: [draft]
access: { read: everyone, clients: any, scopes: { read: things.read, write: things.write } }
concurrency: required
limits: { per_user: 50, bytes: 4096, writes: 30/min, newcomer: 5/day for 7d, expire: 90d }
deprecated: { since: 2026-01-01, sunset: 2027-01-01, link: "https://example.org/changes" }
`,
);

/** A final state only, a field without a possible example, and an open object. */
export const awkward = declared(
  'awkward',
  `
schema:
  required: [isbn]
  properties:
    isbn: { type: string, maxLength: 20, pattern: "^ISBN [0-9]+$" }
    deep: { properties: { er: { properties: { est: { type: array, minItems: 2, items: { const: 1 } } } } } }
  additionalProperties: { type: string, maxLength: 5 }
states: { only: {} }
editable: []
access: { clients: own }
limits: { per_user: 1, writes: 1/h }
`,
);

export const shared = declared(
  'shared-things',
  `schema: { properties: { text: { type: string, maxLength: 10 }, mark: { type: integer } } }
roles:
  member: { invited_by: [owner, member], max: 12 }
  reader: { scope: shared.read }
  owner: { invited_by: owner, previous_owner: member }
access: { create: reader, read: [owner, member, reader], update: { owner: [a] }, delete: nobody }
states: { a: { rate: { to: b, by: [owner, member], sets: [mark] } }, b: {} }
aliases: true
`,
);

const families: Record<string, string> = {
  halls: `schema: { required: [seats], properties: { seats: { type: integer, minimum: 0 } } }
states: { open: { close: closed }, closed: {} }
access: { read: everyone }
`,
  seats: `parent:
  field: hall
  collection: halls
  accepts: { states: [open] }
  capacity: { states: [taken], field: seats }
  counts: true
  max: 100
schema: { properties: { note: { type: string, maxLength: 10 } } }
roles: { host: { parent_roles: owner }, usher: {} }
access: { create: everyone, read: [owner, host], update: owner, delete: owner }
states:
  taken:
    leave: free
    assign: { to: taken, by: host, grants: usher, chosen_from: host, revokes: usher }
  free: { return: { to: taken, by: owner, while_parent_accepts: true } }
unique: [{ fields: [owner, parent] }]
`,
};
for (const [name, text] of Object.entries(families)) declarations[name] = text;
const related = readCollections(
  Object.entries(families).map(([name, text]) => ({ name, path: `${name}.yaml`, text })),
);

export const unusual: readonly Collection[] = [smallest, everything, awkward, shared, ...related];
export const shipped: readonly Collection[] = readCollections(readCollectionFiles('collections'));

export const twelve: readonly Collection[] = readCollections([
  ...readCollectionFiles('collections').filter(({ name }) => name === 'bookings'),
  ...['class', 'feedback', 'household', 'meetup', 'team']
    .flatMap((example) => readCollectionFiles(`examples/${example}/collections`))
    .filter(({ name }) => !['entries', 'votes'].includes(name)),
]);
