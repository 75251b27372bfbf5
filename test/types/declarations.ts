/** Four collections with different features of types, used by the programs in this folder. */
export const declarations = {
  /** Without states, and with no index. */
  notes: `
title: Notes
schema:
  required: [text]
  properties:
    text: { type: string, minLength: 1, maxLength: 280, description: What is written down. }
    done: { type: boolean }
    stars: { type: integer, minimum: 0, maximum: 5 }
    tags: { type: array, maxItems: 5, items: { type: string, maxLength: 20 } }
    colour: { enum: [red, green] }
    look:
      required: [font]
      properties: { font: { enum: [serif, mono] }, size: { type: integer } }
`,

  /** With actions of owner and clients, and filters of every indexable type. */
  bookings: `
title: Bookings
description: Seats in a slot of time.
schema:
  required: [slot, seats, meal, paid]
  properties:
    slot: { type: string, format: date-time }
    seats: { type: integer, minimum: 1, maximum: 8 }
    meal: { type: string, enum: [lunch, dinner] }
    paid: { type: boolean }
    note: { type: string, maxLength: 500 }
index: [slot, seats, meal, paid]
states:
  draft: { submit: submitted, cancel: cancelled }
  submitted: { approve: { to: approved, by: client }, cancel: cancelled }
  approved: { cancel: cancelled }
  cancelled: {}
editable: [draft]
access: { clients: any }
concurrency: required
limits: { newcomer: 5/day for 7d }
`,

  /** Readable by everyone, with a name that is no identifier, an action named like a method, and fields of all shapes. */
  'team-posts': `
title: Posts
schema:
  required: [text, reply_to]
  properties:
    text: { type: string, maxLength: 280 }
    reply_to: { type: [string, "null"], format: uuid }
    parts:
      type: array
      maxItems: 9
      items: { required: [kind], properties: { kind: { enum: [image, video] }, url: { type: string, format: uri } } }
    place: { type: array, prefixItems: [{ type: number }, { type: number }], items: false, minItems: 2 }
    counts: { type: object, additionalProperties: { type: integer } }
    shape:
      oneOf:
        - { required: [radius], properties: { radius: { type: number } } }
        - { required: [side], properties: { side: { type: number } } }
states:
  shown: { hide: hidden, remove: removed }
  hidden: { show: shown }
  removed: {}
access: { read: everyone, scopes: { write: posts.write } }
deprecated: { since: 2026-01-01, sunset: 2027-01-01, link: "https://example.org/changes" }
`,

  /** For several people: roles by action and by invitation, and actions with input. */
  items: `
title: Things to lend
schema:
  required: [title]
  properties:
    title: { type: string, maxLength: 120 }
    due: { type: string, format: date }
    fee: { type: integer, minimum: 0 }
    remark: { type: string, maxLength: 500 }
roles:
  borrower: { max_per_user: 5 }
  keeper: { invited_by: [owner, keeper] }
  owner: { invited_by: owner, previous_owner: keeper }
access: { read: everyone }
states:
  available:
    request: { to: requested, by: everyone, grants: borrower }
  requested:
    lend: { to: lent, by: [owner, keeper], sets: [due, "fee?"] }
    decline: { to: available, by: owner, revokes: borrower }
  lent:
    take_back: { to: available, by: owner, sets: ["remark?"], revokes: borrower, clears: [due] }
aliases: true
`,
} as const;
