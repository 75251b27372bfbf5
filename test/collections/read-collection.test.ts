import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readCollections, reservedNames } from '../../src/collections/read-collections.ts';
import { declared, mistakesIn, withProperty } from '../support/services/declared.ts';

const smallest = 'schema: {properties: {text: {type: string, maxLength: 280}}}';

const bookings = `
title: Bookings
schema:
  required: [slot, seats]
  properties:
    slot:  { type: string, format: date-time }
    seats: { type: integer, minimum: 1, maximum: 8 }
    note:  { type: string, maxLength: 500 }
index: [slot]
states:
  draft:     { submit: submitted, cancel: cancelled }
  submitted: { approve: { to: approved, by: client }, cancel: cancelled }
  approved:  { cancel: cancelled }
  cancelled: {}
editable: [draft]
access:
  read: owner
  clients: any
  scopes: { write: bookings.write }
limits: { per_user: 50, bytes: 4096, writes: 30/min, newcomer: 5/day for 7d, expire: 90d }
events: { data: full, only: [created, approved] }
deprecated: { since: 2026-01-01, sunset: 2027-01-01, link: "https://example.org/changes" }
`;

/** A thing that one caller at a time can borrow. The actions of "asked", "lent" and "back" are on lines 7 to 9. */
const lending = (asked: string, lent: string, back: string) => `${smallest}
roles:
  borrower: {}
access: { read: everyone }
states:
  free: { ask: { to: asked, by: everyone, grants: borrower } }
  asked: { lend: { to: lent, by: owner }, ${asked} }
  lent: { lose: { to: lost, by: owner }, ${lent} }
  back: { ${back} }
  lost: {}`;

/** Only a reviewer leaves the state `sent`. */
const reviewed = (invitedBy: string, remove: string) => `${smallest}
roles: { reviewer: { invited_by: ${invitedBy} }, helper: { invited_by: owner } }
access: { read: [owner, reviewer, helper], delete: ${remove} }
states:
  sent: { return: { to: returned, by: reviewer } }
  returned: {}`;

/** A transition without input and roles. */
const plain = {
  sets: [],
  clears: [],
  grants: null,
  chosenFrom: null,
  revokes: [],
  whileParentAccepts: false,
};

describe('a declaration', () => {
  it('can be one line, with a default for everything else', () => {
    const { checkFields, file, ...plain } = declared(smallest);
    assert.deepEqual(plain, {
      name: 'things',
      title: 'things',
      singular: null,
      description: null,
      schema: {
        type: 'object',
        properties: { text: { type: 'string', maxLength: 280 } },
        additionalProperties: false,
      },
      index: [],
      machine: null,
      access: {
        create: ['everyone'],
        read: { owner: 'all' },
        update: { owner: 'all' },
        delete: { owner: 'all' },
        clients: 'none',
        scopes: { read: null, write: null },
      },
      isShared: false,
      roles: {},
      handover: null,
      aliases: false,
      parent: null,
      children: [],
      showsCounts: false,
      unique: [],
      search: [],
      history: false,
      concurrency: 'optional',
      limits: {
        perUser: 1000,
        bytes: 16384,
        writes: { count: 60, windowMs: 60_000 },
        newcomer: null,
        expireMs: null,
        memberships: 100,
      },
      events: { data: 'thin', only: null },
      deprecated: null,
    });
    assert.deepEqual(checkFields({}), []);
  });

  it('can set every member', () => {
    const { title, index, machine, access, limits, events, deprecated } = declared(bookings, 'bookings');
    const day = 86_400_000;
    assert.equal(title, 'Bookings');
    assert.deepEqual(index, [{ name: 'slot', kind: 'text' }]);
    assert.equal(machine?.initial, 'draft');
    assert.deepEqual([...(machine?.states.keys() ?? [])], ['draft', 'submitted', 'approved', 'cancelled']);
    assert.deepEqual(machine?.states.get('submitted')?.get('approve'), {
      ...plain,
      to: 'approved',
      by: ['client'],
    });
    assert.deepEqual(machine?.states.get('draft')?.get('submit'), {
      ...plain,
      to: 'submitted',
      by: ['owner'],
    });
    assert.equal(machine?.states.get('cancelled')?.size, 0);
    assert.deepEqual(machine?.actions, ['submit', 'cancel', 'approve']);
    assert.deepEqual(access, {
      create: ['everyone'],
      read: { owner: 'all', client: 'all' },
      update: { owner: ['draft'], client: ['draft'] },
      delete: { owner: 'all', client: 'all' },
      clients: 'any',
      scopes: { read: null, write: 'bookings.write' },
    });
    assert.deepEqual(limits, {
      perUser: 50,
      bytes: 4096,
      writes: { count: 30, windowMs: 60_000 },
      newcomer: { count: 5, windowMs: day, forMs: 7 * day },
      expireMs: 90 * day,
      memberships: 100,
    });
    assert.deepEqual(events, { data: 'full', only: new Set(['created', 'approved']) });
    assert.deepEqual(deprecated, {
      sinceMs: Date.parse('2026-01-01T00:00:00Z'),
      sunsetMs: Date.parse('2027-01-01T00:00:00Z'),
      link: 'https://example.org/changes',
    });
  });

  it('in every example is valid', () => {
    const files = ['bookings', 'items', 'notes'].map((name) => {
      const path = `collections/${name}.yaml`;
      return { name, path, text: readFileSync(path, 'utf8') };
    });
    const names = readCollections(files).map(({ name }) => name);
    assert.deepEqual(names, ['bookings', 'items', 'notes']);
  });

  it('sets the event data in one word', () => {
    assert.equal(declared(`${smallest}\nevents: none`).events, null);
    for (const data of ['thin', 'full'])
      assert.deepEqual(declared(`${smallest}\nevents: ${data}`).events, { data, only: null });
    const eventNamed = 'states: { a: { go: deleted }, deleted: {} }';
    assert.equal(declared(`${smallest}\n${eventNamed}\nevents: none`).events, null);
  });

  it('makes all states editable by default, and allows a final state without a value', () => {
    const { machine, access } = declared(`${smallest}\nstates:\n  open: {close: closed}\n  closed:\n`);
    assert.deepEqual(access.update, { owner: 'all' });
    assert.equal(machine?.states.get('closed')?.size, 0);
  });

  it('may grant a role again after revoking it', () => {
    const revoked = 'decline: { to: free, by: owner, revokes: borrower }';
    const passed = 'pass_on: { to: lent, by: everyone, grants: borrower, revokes: borrower }';
    declared(lending(revoked, passed, 'offer: { to: free, revokes: borrower }'));
    const team = `${smallest}\nroles: { assignee: {} }\naccess: { read: everyone }\nstates:`;
    declared(`${team}
  open: { take: { to: assigned, by: everyone, grants: assignee }, give_up: { to: open, by: owner, revokes: assignee } }
  assigned: { put_off: { to: open, by: assignee }, finish: { to: done, by: owner } }
  done: { reopen: { to: open, revokes: assignee } }`);
    declared(`${team}
  open: { claim: { to: open, by: everyone, grants: assignee }, pause: paused }
  paused: { resume: open }`);
  });

  it('may have a state that only members leave, if the owner can invite them or delete the record', () => {
    declared(reviewed('owner', 'nobody'));
    declared(reviewed('helper', 'owner'));
    declared(reviewed('helper', '{ owner: [sent] }'));
  });

  it('can index every comparable type', () => {
    const text = `
schema:
  required: [a, b, c, d, e, f, g]
  properties:
    a: { type: string, maxLength: 500 }
    b: { type: integer }
    c: { type: number }
    d: { type: boolean }
    e: { type: string, enum: [x, y] }
    f: { enum: [x, y] }
    g: { const: 5 }
unique: [{ fields: [f], reveals: true }]
index: [a, b, c, d, e, f, g]`;
    const kinds = declared(text).index.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['text', 'number', 'number', 'boolean', 'text', 'text', 'number']);
  });
});

/**
 * Each text with the parts of all its mistakes: a comment says what is wrong in its line, or in the line above. What has no
 * schema stands below a valid one.
 */
const wrong = `
schema:
  requried: [a, b, gone] # schema.requried … "required"
  # schema.required.2 names "gone"
  properties:
    a: { type: int, minimum: 1 } # schema.properties.a.type must be … "integer"
    b: { type: string, maxLenght: 5 } # schema.properties.b.maxLenght … "maxLength"
    c: { type: text, default: x } # schema.properties.c.default is not supported
    # schema.properties.c.type must be … "string"
    d: true # schema.properties.d must be a schema
    email: { type: string, x-personal: maybe } # schema.properties.email is a text without a limit
    # schema.properties.email.x-personal must be true or false
index: [a, b, e, d] # index.2 must be a property
stats: # stats … "states"
  draft: { submit: submited, cancel: { to: 5, grants: taker } } # states.draft.cancel.to must name the state
  # states.draft.submit must be a declared state … "submitted"
  submitted: { approve: { to: approved, by: aprover } } # states.submitted.approve.by must be a role … "approver"
  approved: 5 # states.approved must be a mapping
roles: { approver: { invitedby: owner }, seer: 5, taker: {} } # roles.approver.invitedby … "invited_by"
# roles.seer must be a mapping
limits: { per_user: 0, memberships: 5 } # limits.per_user must be a whole number
parent: { field: x } # parent has no "collection"
acess: { read: [owner, approver], update: { approver: [drafted] } } # acess … "access"
# 2 more mistakes
unique: [{ fields: [parent, nix] }]

- schema # The file must be a mapping … found a list

schema:
  propertys: {a: {type: integer}} # schema.propertys … did you mean "properties"?

schema: {} # schema has no "properties", which must be a mapping

tittle: x # tittle is not known here; did you mean "title"?
${smallest}

owner: x # owner is not known here; no known name is similar.

title: 5 # title must be a text of 1 to 100 characters; found 5.

concurrency: always # concurrency must be "optional" or "required"; found "always".

access:
  read: owner
  clients: some # access.clients must be "none", "own" or "any"; found "some"
  scopes: { write: "a b", wirte: x } # access.scopes.wirte is not known here; did you mean "write"?
  # access.scopes.write must be a scope … ; found "a b"

access:
  read: anybody # access.read must be a role; found "anybody", expected "owner", "everyone" or "client"

limits:
  per_user: 0 # limits.per_user must be a whole number from 1 to 1000000; found 0
  bytes: 2000000 # limits.bytes must be a whole number from 64 to 1048576; found 2000000
  writes: 30 per minute # limits.writes must be a rate such as 30/min … ; found "30 per minute"
  newcomer: 5/day # limits.newcomer must be … 5/day for 7d; found "5/day"
  expire: 2w # limits.expire must be a duration such as 90d … ; found "2w"
  perUser: 5 # limits.perUser is not known here; did you mean "per_user"?

states: [draft] # states must be a mapping of 1 to 32 states … ; found a list

states: {} # states must be a mapping of 1 to 32 states

states:
  draft: { submit: submited } # states.draft.submit must be a declared state; found "submited", did you mean "submitted"?
  submitted: { back: { to: darft } } # states.submitted.back.to must be a declared state; found "darft", did you mean "draft"?

states:
  draft: { drop: 5, end: {} } # states.draft.drop must name the state … ; found 5
  # states.draft.end has no "to", which must name the state
  submitted: { back: { too: draft } } # states.submitted.back.too is not known here; did you mean "to"?

states:
  Draft: { "go on": Draft } # states.Draft must have a name of 1 to 32
  # states.Draft.go on must have a name of 1 to 32

states: { a: { go: { to: a, by: everybody } } } # states.a.go.by must be a role; found "everybody", expected "owner", "everyone" or "client"

states: { a: { go: { to: a, by: client } } } # states.a.go is for clients, but machine clients cannot reach this collection. Set "access.clients"

editable: [a] # editable lists states, but the collection has none

states: { a: {} }
editable: [a, b] # editable.1 must be one of the states "a"; found "b"

states: { a: {} }
editable: [a, a] # editable.1 is there twice

events: all # events must be "thin", "full" or "none"; found "all"

events: { data: none, olny: [created] } # events.olny is not known here; did you mean "only"?
# events.data must be "thin" or "full"; found "none"

states: { a: { go: b }, b: {}, c: {} }
events: { only: [created, b, a, c] } # events.only.2 must be one of "created", "changed", "deleted", "expired" or "b"; found "a"
# events.only.3 must be one of … ; found "c"

events: { only: [] } # events.only must have at least 1 item

states:
  a: { go: deleted }
  deleted: {} # states.deleted has the name of an event that all collections have … Give it another name, or set "events"

roles: { taker: {} }
access: { read: everyone }
states:
  a: { go: { to: left, by: everyone, grants: taker } }
  left: {} # states.left has the name of an event that all collections have

schema: { required: [text], properties: { text: { type: string, maxLength: 20 } } }
roles: { member: { invited_by: owner } }
access: { read: [owner, member] }
states:
  a: { go: { to: a, revokes: member } } # states.a.go.revokes must be a role that only actions give … ; found "member". … DELETE … members/me
  b: { go: { to: a, sets: [text] } } # states.b.go.sets.0 is in "required" … ; found "text". Remove it from "required"

roles: { reviewer: { invited_by: owner }, helper: { invited_by: reviewer } } # roles.helper.invited_by lets "reviewer" invite in the state "sent", where it cannot read
access: { read: { owner: all, helper: all, reviewer: [returned] } }
states:
  sent: { return: returned }
  returned: {}

deprecated:
  since: 1 January # deprecated.since must be a date such as 2026-01-01; found "1 January"
  link: ftp://example.org # deprecated.link must be an http or https URL; found "ftp:

deprecated:
  since: 2026-02-30 # deprecated.since must be a date such as 2026-01-01; found "2026-02-30"
  link: https://example.org/what changes # deprecated.link must be an http or https URL; found "https:

deprecated: { since: 2026-01-01, sunset: 2025-01-01 } # deprecated.sunset must not come before "since"; found "2025-01-01"

index: text # index must be a list … ; found "text"

index: [txet] # index.0 must be a property of the schema; found "txet", did you mean "text"?

index: [text] # index.0 must be in "required"

schema: {required: [a], properties: {a: {type: array, items: {type: integer}}}}
index: [a] # index.0 must have the "type" string, integer, number or boolean; found "a"

schema: {required: [a], properties: {a: {enum: [1, red]}}}
index: [a] # index.0 must have the "type" string, integer, number or boolean; found "a"

schema: {required: [a], properties: {a: {type: string, maxLength: 501}}}
index: [a] # index.0 must have a "maxLength" of at most 500, or a format of such a length; found "a"

schema: {required: [a], properties: {a: {type: string, format: uri}}}
index: [a] # index.0 must have a "maxLength" of at most 500, or a format of such a length; found "a"

schema: {required: [limit], properties: {limit: {type: integer}}}
index: [limit] # index.0 has a name that is reserved in queries

schema: {required: [mine], properties: {mine: {type: boolean}}}
index: [mine] # index.0 has a name that is reserved in queries

schema: {required: [a], properties: {a: {type: integer}}}
index: [a, a] # index.1 is there twice

schema: {required: [a], properties: {a: {type: string, format: date-time, maxLength: 20}}}
index: [a] # index.0 is stored in UTC with milliseconds, so the field cannot have minLength, maxLength
`;

/** Each text with all its mistakes, in order. */
const wrongAsWhole: readonly (readonly [what: string, text: string, mistakes: readonly RegExp[]])[] = [
  ['an empty file', '', [/^1: The file must be a mapping with members such as "schema"; found nothing\.$/]],
  ['no schema', 'title: x', [/^1: The file has no "schema", which must be a mapping with "properties"/]],
  [
    'actions back to a granting state that do not revoke the role',
    lending(
      'decline: { to: free, by: owner }',
      'bring_back: { to: back, by: borrower }',
      'take_back: { to: free, by: owner }',
    ),
    [
      /^7: states\.asked\.decline leads to "free" while .*"borrower".*"ask".* Add "revokes: borrower"/,
      /^9: states\.back\.take_back leads to "free" while .*"borrower".*"ask".* Add "revokes: borrower"/,
    ],
  ],
  [
    'a role passed on without "revokes"',
    lending(
      'decline: { to: free, by: owner, revokes: borrower }',
      'pass_on: { to: lent, by: everyone, grants: borrower }, take_back: { to: back, by: owner }',
      'offer: { to: free, by: owner, revokes: borrower }',
    ),
    [/^8: states\.lent\.pass_on grants the role "borrower".* Add "revokes: borrower" to pass it on/],
  ],
  [
    'a state that only members leave, without a way out for the owner',
    reviewed('helper', '{ owner: [returned] }'),
    [/^5: states\.sent can become permanent: (?:\S+ ?){4,11}$/],
  ],
];

/** The comments of a text, each after the number of its line. */
function expectedIn(text: string): readonly string[] {
  let line = 0;
  return text.split('\n').flatMap((row, index) => {
    const [content = '', ...comments] = row.split(/ ?# /);
    if (content.trim() !== '') line = index + 1;
    return comments.map((sentence) => `${line}: ${sentence}`);
  });
}

describe('an invalid declaration is refused with its line:', () => {
  for (const row of wrong.trim().split('\n\n')) {
    const text = /^(?:- )?schema/m.test(row) ? row : `${smallest}\n${row}`;
    const expected = expectedIn(text);
    it(String(expected[0]), () => {
      const mistakes = mistakesIn(text);
      assert.equal(mistakes.length, expected.length, mistakes.join('\n'));
      for (const [index, sentence] of expected.entries()) {
        const found = String(mistakes[index]);
        const [start = '', ...parts] = sentence.split(' … ');
        assert.ok(found.startsWith(start) && parts.every((part) => found.includes(part)), found);
      }
    });
  }
  for (const [what, text, expected] of wrongAsWhole) {
    it(what, () => {
      const mistakes = mistakesIn(text);
      assert.equal(mistakes.length, expected.length, mistakes.join('\n'));
      for (const [index, form] of expected.entries()) assert.match(String(mistakes[index]), form);
    });
  }

  it('reserved or invalid name', () => {
    for (const name of reservedNames)
      assert.match(String(mistakesIn(smallest, name)), /^1: The file has a reserved name/);
    for (const name of ['', 'Upper', '1st', 'a_b', 'ä', 'a'.repeat(64), 'a b', '__proto__']) {
      assert.match(String(mistakesIn(smallest, name)), /^1: The file must have a name of 1 to 63/);
    }
    declared(smallest, 'a'.repeat(63));
  });

  it('every mistake is reported at once', () => {
    const text = `title: 5\n${withProperty('email: { type: string }')}limits: { writes: 5 }`;
    assert.equal(mistakesIn(text).length, 4);
  });
});

describe('declarations of a folder', () => {
  it('mistakes of all files are reported together, one line each', () => {
    const files = [
      { name: 'a', path: 'collections/a.yaml', text: 'title: 5\nschema: {}' },
      { name: 'b', path: 'collections/b.yaml', text: smallest },
      { name: 'c', path: 'collections/c.yml', text: `${smallest}\nlimts: {}` },
    ];
    assert.throws(() => readCollections(files), {
      name: 'OperatorError',
      message:
        /^3 mistakes in the declarations of collections:\n {2}collections\/a\.yaml:1: title .*\n {2}collections\/a\.yaml:2: schema .*\n {2}collections\/c\.yml:2: limts is not known here; did you mean "limits"\?$/,
    });
  });
});
