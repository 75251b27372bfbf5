import { declarationsFolder } from '../support/services/declarations.ts';
import { type BrowserSite, startBrowserSite } from './browser-site.ts';

/** A list that several people work on, with a search and a history. */
const declarations = {
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

export function startHouseholdSite(): Promise<BrowserSite> {
  return startBrowserSite({ COLLECTIONS_DIR: declarationsFolder(declarations) });
}
