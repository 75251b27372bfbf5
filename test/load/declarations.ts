const unlimited = 'per_user: 1000000, writes: 1000000/day';

/** How many members a circle has, and how many places. Both are fewer than the people who want one. */
export const maxMembers = 3;
export const capacity = 1;

/** One collection of private records, and two for several people: circles, and places in them. */
export const declarations = {
  notes: `
schema:
  required: [label, step, text]
  properties:
    label: { type: string, maxLength: 100 }
    step: { type: integer, minimum: 0 }
    text: { type: string, maxLength: 100 }
    mark: { type: string, maxLength: 100 }
states:
  open: { close: { to: closed, by: any } }
  closed: { reopen: { to: open, by: any } }
editable: [open, closed]
access: { clients: any }
search: [text]
history: true
events: full
limits: { ${unlimited} }
`,
  circles: `
schema:
  required: [label, step]
  properties: { label: { type: string, maxLength: 100 }, step: { type: integer, minimum: 0 } }
roles: { member: { invited_by: owner, max: ${maxMembers} } }
access: { read: [owner, member], update: [owner, member], clients: any }
aliases: true
events: full
limits: { ${unlimited}, memberships: 1000 }
`,
  places: `
parent:
  field: circle
  collection: circles
  capacity: { states: [taken], number: ${capacity}, overflow: waiting }
  counts: [taken, waiting]
schema: { required: [label], properties: { label: { type: string, maxLength: 100 } } }
roles: { guest: { parent_roles: [member] }, host: { parent_roles: [owner] } }
states:
  taken: { leave: gone }
  waiting: { leave: gone }
  gone: {}
access: { create: guest, read: [owner, host], delete: { owner: [gone] }, clients: any }
unique: [{ fields: [owner, parent], states: [taken, waiting] }]
events: full
limits: { ${unlimited} }
`,
};

export type CollectionName = keyof typeof declarations;
export const collectionNames = Object.keys(declarations) as CollectionName[];

export const nextAction: Readonly<Record<string, string>> = { open: 'close', closed: 'reopen' };
export const otherState: Readonly<Record<string, string>> = { open: 'closed', closed: 'open' };

/** Texts are two of these words, so that a search finds some of them. */
export const words = ['apple', 'apricot', 'bread', 'butter', 'cheese', 'cherry', 'dill', 'egg'];
