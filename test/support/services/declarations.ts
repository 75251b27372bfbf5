import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { surroundings } from '../run/surroundings.ts';

/** Writes declarations in YAML, by the name of their collection, into a folder for COLLECTIONS_DIR. */
export function declarationsFolder(declarations: Readonly<Record<string, string>>): string {
  const folder = `${surroundings().runDirectory}/declarations/${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(declarations)) writeFileSync(`${folder}/${name}.yaml`, text);
  return folder;
}

const roomy = 'per_user: 100000, writes: 1000000/min';

/** Notes with a text of up to this many characters; limits that no test reaches. */
export function plainNotes(longestText: number): string {
  return `schema: { properties: { text: { type: string, maxLength: ${longestText} } } }\nlimits: { per_user: 1000000, writes: 1000000/min }\n`;
}

/** Collections that differ in every way that a caller can notice, in YAML, by name. */
export const sampleDeclarations = {
  /** Nothing but a schema. */
  scraps: 'schema: { properties: { text: { type: string, maxLength: 280 } } }\n',

  notes: `
title: Notes
schema:
  required: [text]
  properties:
    text: { type: string, minLength: 1, maxLength: 280 }
    stars: { type: integer, minimum: 0, maximum: 5 }
    tags: { type: array, maxItems: 5, items: { type: string, maxLength: 20 } }
    look:
      type: object
      required: [colour]
      properties:
        colour: { enum: [red, green] }
        size: { type: integer, minimum: 1 }
limits: { ${roomy} }
`,

  /** Whatever JSON there is, in an object. */
  boxes: `
schema:
  required: [content]
  properties:
    content: { type: object, additionalProperties: true }
limits: { ${roomy}, bytes: 65536 }
`,

  /** A field of each kind to filter and sort by. */
  tasks: `
schema:
  required: [label, weight, place, done, due]
  properties:
    label: { type: string, maxLength: 500 }
    weight: { type: number }
    place: { type: integer }
    done: { type: boolean }
    due: { type: string, format: date-time }
    link: { type: string, format: uri }
index: [label, weight, place, done, due]
states:
  open: { close: closed }
  closed: {}
limits: { ${roomy} }
`,

  /** Actions by the owner and by machine clients, which see all records. */
  bookings: `
title: Bookings
description: Seats in a slot of time.
schema:
  required: [slot, seats]
  properties:
    slot: { type: string, format: date-time }
    seats: { type: integer, minimum: 1, maximum: 8 }
index: [slot]
states:
  draft: { submit: submitted, cancel: cancelled }
  submitted: { approve: { to: approved, by: client }, cancel: { to: cancelled, by: any } }
  approved: { cancel: cancelled }
  cancelled: {}
editable: [draft]
access: { clients: any }
limits: { ${roomy}, newcomer: 100000/day for 7d, expire: 90d }
`,

  /** Machine clients have their own here, and are their owners. */
  parcels: `
schema:
  required: [label]
  properties: { label: { type: string, maxLength: 100 } }
states:
  packed: { send: { to: sent, by: client }, keep: kept, lose: { to: lost, by: any } }
  sent: {}
  kept: {}
  lost: {}
access: { clients: own }
limits: { ${roomy} }
`,

  /** Everyone reads all records and writes its own. */
  posts: `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 280 } }
states:
  shown: { hide: hidden }
  hidden: { show: shown }
access: { read: everyone }
limits: { ${roomy} }
`,

  /** A change says which version it changes. */
  ledger: `
schema:
  required: [amount]
  properties: { amount: { type: integer } }
states:
  kept: { close: closed }
  closed: {}
concurrency: required
limits: { ${roomy} }
`,

  /** For tokens with the right scopes. */
  files: `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 280 } }
access: { clients: any, scopes: { read: files.read, write: files.write } }
limits: { ${roomy} }
`,

  chips: `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 280 }, more: { type: string, maxLength: 280 } }
limits: { ${roomy}, bytes: 100 }
`,

  faxes: `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 280 } }
deprecated: { since: 2026-01-01, sunset: 2027-01-01, link: "https://example.org/changes" }
limits: { ${roomy} }
`,
} as const;

const eventFields = 'schema: { properties: { text: { type: string, maxLength: 30000 } } }';
const eventLimits = 'limits: { writes: 1000000/day, bytes: 40000, per_user: 100000';

/** Collections that differ in the content of their events. */
export const eventDeclarations = {
  notes: `${eventFields}\naccess: { clients: own }\n${eventLimits} }`,
  orders: `${eventFields}
states: { open: { send: sent, drop: dropped }, sent: { accept: { to: accepted, by: client } }, accepted: {}, dropped: {} }
events: full
access: { clients: any }
${eventLimits} }`,
  silent: `${eventFields}\nevents: none\naccess: { clients: any }\n${eventLimits} }`,
  chosen: `${eventFields}\nevents: { data: thin, only: [created, deleted] }\n${eventLimits} }`,
  short: `${eventFields}\naccess: { clients: any }\n${eventLimits}, expire: 1h }`,
  guarded: `${eventFields}\naccess: { clients: any, scopes: { read: guarded.read } }\n${eventLimits} }`,
};
