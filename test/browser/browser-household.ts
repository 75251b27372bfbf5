/** A list that several people work on, with a search and a history. */
export const household = {
  lists: `
title: Lists
schema: { required: [title], properties: { title: { type: string, maxLength: 60 } } }
roles: { member: { invited_by: owner } }
access: { read: [owner, member] }
`,
  entries: `
title: Entries
parent: { field: list, collection: lists, owned_by: parent, on_delete: restrict }
schema: { required: [what], properties: { what: { type: string, maxLength: 60 } } }
roles: { member: { parent_roles: [owner, member] } }
access: { create: member, read: member, update: member, delete: member }
states:
  open: { buy: { to: bought, by: member } }
  bought: { undo: { to: open, by: member } }
search: [what]
history: true
limits: { writes: 1000/min }
`,
};
