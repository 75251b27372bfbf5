import { readFileSync } from 'node:fs';

export const peopleDeclarations: Readonly<Record<string, string>> = {
  items: readFileSync('collections/items.yaml', 'utf8').replace(
    /^limits:.*$/m,
    'limits: { writes: 10000/min }',
  ),
  lists: `
title: Shopping lists
schema:
  required: [title]
  properties: { title: { type: string, minLength: 1, maxLength: 60 } }
roles:
  member: { invited_by: [owner, member], max: 12 }
  owner: { invited_by: owner, previous_owner: member }
access: { read: [owner, member], update: [owner, member], delete: owner }
limits: { per_user: 20, memberships: 20, writes: 10000/min }
`,
  teams: `
title: Teams
schema:
  required: [title]
  properties: { title: { type: string, minLength: 1, maxLength: 80 } }
roles:
  admin: { invited_by: owner, max: 5 }
  member: { invited_by: [owner, admin], max: 200 }
access: { read: [owner, admin, member], update: [owner, admin], delete: owner }
aliases: true
events: full
limits: { memberships: 50, writes: 10000/min }
`,
  issues: `
title: Issues
schema:
  required: [title, area]
  properties:
    title: { type: string, minLength: 5, maxLength: 200 }
    area: { enum: [app, site, billing], type: string }
    reason: { type: string, maxLength: 500 }
    labels: { type: array, maxItems: 5, items: { type: string, maxLength: 30 } }
index: [area]
roles:
  moderator: { scope: issues.moderate }
access:
  read: { owner: all, moderator: all, everyone: [open, planned, done, declined] }
  update: { owner: [open] }
  delete: { owner: [open], moderator: [hidden] }
states:
  open:
    plan: { to: planned, by: moderator }
    finish: { to: done, by: moderator }
    decline: { to: declined, by: moderator, sets: [reason] }
    label: { to: open, by: moderator, sets: [labels] }
    hide: { to: hidden, by: moderator }
  planned: { finish: { to: done, by: moderator }, decline: { to: declined, by: moderator, sets: [reason] } }
  done: { reopen: { to: open, by: moderator } }
  declined: { reopen: { to: open, by: moderator, clears: [reason] } }
  hidden: { show: { to: open, by: moderator } }
aliases: true
events: full
limits: { writes: 10000/min }
`,
  /** Machine clients reach all of them, but not in every state. */
  sites: `
title: Building sites
schema:
  required: [title]
  properties:
    title: { type: string, minLength: 1, maxLength: 60 }
    report: { type: string, maxLength: 500 }
roles:
  builder: { invited_by: [owner, inspector] }
  inspector: { scope: sites.inspect }
  surveyor: { max_per_user: 5 }
access:
  create: inspector
  read: { owner: all, builder: [open, surveyed], inspector: all, surveyor: [surveyed], everyone: [open], client: [planned, open, closed] }
  update: { owner: [planned], builder: [open], client: [planned] }
  delete: { owner: [planned], client: [closed] }
  clients: any
states:
  planned: { begin: { to: open, by: [owner, client] } }
  open:
    survey: { to: surveyed, by: [everyone, inspector], grants: surveyor }
    close: { to: closed, by: owner }
  surveyed:
    report: { to: open, by: surveyor, sets: [report], revokes: surveyor }
    abandon: { to: open, by: owner, revokes: surveyor }
  closed: { reopen: { to: planned, by: client } }
events: full
limits: { writes: 10000/min }
`,
  /** Machine clients have their own. */
  parcels: `
title: Parcels
schema:
  required: [label]
  properties: { label: { type: string, minLength: 1, maxLength: 60 } }
roles:
  courier: { max_per_user: 5 }
access:
  read: { owner: all, courier: [carried], everyone: [waiting], client: [delivered] }
  update: { owner: [waiting] }
  delete: { owner: [waiting, delivered], everyone: [waiting] }
  clients: own
states:
  waiting: { take: { to: carried, by: everyone, grants: courier } }
  carried:
    drop: { to: waiting, by: [courier, owner], revokes: courier }
    hand_in: { to: delivered, by: courier }
  delivered: { send_back: { to: waiting, by: client, revokes: courier } }
limits: { writes: 10000/min }
`,
};
