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
    assert.deepEqual(
      readCollections(files).map(({ name }) => name),
      ['bookings', 'items', 'notes'],
    );
  });

  it('sets the event data in one word', () => {
    assert.equal(declared(`${smallest}\nevents: none`).events, null);
    for (const data of ['thin', 'full'])
      assert.deepEqual(declared(`${smallest}\nevents: ${data}`).events, { data, only: null });
    assert.equal(
      declared(`${smallest}\nstates: { a: { go: deleted }, deleted: {} }\nevents: none`).events,
      null,
    );
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
    assert.deepEqual(
      declared(text).index.map(({ kind }) => kind),
      ['text', 'number', 'number', 'boolean', 'text', 'text', 'number'],
    );
  });
});

/** Each text with all expected mistakes, in order. */
const wrong: readonly (readonly [what: string, text: string, mistakes: readonly RegExp[]])[] = [
  [
    'many mistakes at once, without what follows from another',
    `schema:
  requried: [a, b, gone]
  properties:
    a: { type: int, minimum: 1 }
    b: { type: string, maxLenght: 5 }
    c: { type: text, default: x }
    d: true
    email: { type: string, x-personal: maybe }
index: [a, b, e, d]
stats:
  draft: { submit: submited, cancel: { to: 5, grants: taker } }
  submitted: { approve: { to: approved, by: aprover } }
  approved: 5
roles: { approver: { invitedby: owner }, seer: 5, taker: {} }
limits: { per_user: 0, memberships: 5 }
parent: { field: x }
acess: { read: [owner, approver], update: { approver: [drafted] } }
unique: [{ fields: [parent, nix] }]`,
    [
      /^2: schema\.requried .*"required"/,
      /^2: schema\.required\.2 names "gone"/,
      /^4: schema\.properties\.a\.type must be .*"integer"/,
      /^5: schema\.properties\.b\.maxLenght .*"maxLength"/,
      /^6: schema\.properties\.c\.default is not supported/,
      /^6: schema\.properties\.c\.type must be .*"string"/,
      /^7: schema\.properties\.d must be a schema/,
      /^8: schema\.properties\.email is a text without a limit/,
      /^8: schema\.properties\.email\.x-personal must be true or false/,
      /^9: index\.2 must be a property/,
      /^10: stats .*"states"/,
      /^11: states\.draft\.cancel\.to must name the state/,
      /^11: states\.draft\.submit must be a declared state.*"submitted"/,
      /^12: states\.submitted\.approve\.by must be a role.*"approver"/,
      /^13: states\.approved must be a mapping/,
      /^14: roles\.approver\.invitedby .*"invited_by"/,
      /^14: roles\.seer must be a mapping/,
      /^15: limits\.per_user must be a whole number/,
      /^16: parent has no "collection"/,
      /^17: acess .*"access"/,
      /^17: 2 more mistakes/,
    ],
  ],
  ['an empty file', '', [/^1: The file must be a mapping with members such as "schema"; found nothing\.$/]],
  ['a list', '- schema', [/^1: The file must be a mapping.*found a list/]],
  [
    'no schema',
    'title: x',
    [/^1: The file has no "schema", which must be a mapping with "properties", for example /],
  ],
  [
    'properties misspelt',
    'schema:\n  propertys: {a: {type: integer}}',
    [/^2: schema\.propertys .*did you mean "properties"\?$/],
  ],
  ['no properties', 'schema: {}', [/^1: schema has no "properties", which must be a mapping/]],
  ['an unknown member', `tittle: x\n${smallest}`, [/^1: tittle is not known here; did you mean "title"\?$/]],
  [
    'an unknown member without a similar name',
    `${smallest}\nowner: x`,
    [/^2: owner is not known here; no known name is similar\.$/],
  ],
  [
    'an invalid title',
    `${smallest}\ntitle: 5`,
    [/^2: title must be a text of 1 to 100 characters; found 5\.$/],
  ],
  [
    'an unknown choice',
    `${smallest}\nconcurrency: always`,
    [/^2: concurrency must be "optional" or "required"; found "always"\.$/],
  ],
  [
    'invalid access',
    `${smallest}\naccess:\n  read: owner\n  clients: some\n  scopes: { write: "a b", wirte: x }`,
    [
      /^4: access\.clients must be "none", "own" or "any"; found "some"/,
      /^5: access\.scopes\.wirte is not known here; did you mean "write"\?/,
      /^5: access\.scopes\.write must be a scope .*; found "a b"/,
    ],
  ],
  [
    'an unknown reader role',
    `${smallest}\naccess:\n  read: anybody`,
    [/^3: access\.read must be a role; found "anybody", expected "owner", "everyone" or "client"/],
  ],
  [
    'invalid limits',
    `${smallest}\nlimits:\n  per_user: 0\n  bytes: 2000000\n  writes: 30 per minute\n  newcomer: 5/day\n  expire: 2w\n  perUser: 5`,
    [
      /^3: limits\.per_user must be a whole number from 1 to 1000000; found 0/,
      /^4: limits\.bytes must be a whole number from 64 to 1048576; found 2000000/,
      /^5: limits\.writes must be a rate such as 30\/min.*; found "30 per minute"/,
      /^6: limits\.newcomer must be .*5\/day for 7d; found "5\/day"/,
      /^7: limits\.expire must be a duration such as 90d.*; found "2w"/,
      /^8: limits\.perUser is not known here; did you mean "per_user"\?/,
    ],
  ],
  [
    'a list of states',
    `${smallest}\nstates: [draft]`,
    [/^2: states must be a mapping of 1 to 32 states.*; found a list/],
  ],
  ['no state', `${smallest}\nstates: {}`, [/^2: states must be a mapping of 1 to 32 states/]],
  [
    'an action to an unknown state',
    `${smallest}\nstates:\n  draft: { submit: submited }\n  submitted: { back: { to: darft } }`,
    [
      /^3: states\.draft\.submit must be a declared state; found "submited", did you mean "submitted"\?/,
      /^4: states\.submitted\.back\.to must be a declared state; found "darft", did you mean "draft"\?/,
    ],
  ],
  [
    'an action without a state',
    `${smallest}\nstates:\n  draft: { drop: 5, end: {} }\n  submitted: { back: { too: draft } }`,
    [
      /^3: states\.draft\.drop must name the state .*; found 5/,
      /^3: states\.draft\.end has no "to", which must name the state/,
      /^4: states\.submitted\.back\.too is not known here; did you mean "to"\?/,
    ],
  ],
  [
    'invalid names of states and actions',
    `${smallest}\nstates:\n  Draft: { "go on": Draft }`,
    [/^3: states\.Draft must have a name of 1 to 32/, /^3: states\.Draft\.go on must have a name of 1 to 32/],
  ],
  [
    'an action for an unknown role',
    `${smallest}\nstates: { a: { go: { to: a, by: everybody } } }`,
    [/^2: states\.a\.go\.by must be a role; found "everybody", expected "owner", "everyone" or "client"/],
  ],
  [
    'an action for clients without client access',
    `${smallest}\nstates: { a: { go: { to: a, by: client } } }`,
    [
      /^2: states\.a\.go is for clients, but machine clients cannot reach this collection\. Set "access\.clients"/,
    ],
  ],
  [
    'editable without states',
    `${smallest}\neditable: [a]`,
    [/^2: editable lists states, but the collection has none/],
  ],
  [
    'unknown editable states',
    `${smallest}\nstates: { a: {} }\neditable: [a, b]`,
    [/^3: editable\.1 must be one of the states "a"; found "b"/],
  ],
  [
    'a duplicate editable state',
    `${smallest}\nstates: { a: {} }\neditable: [a, a]`,
    [/^3: editable\.1 is there twice/],
  ],
  [
    'an unknown value of "events"',
    `${smallest}\nevents: all`,
    [/^2: events must be "thin", "full" or "none"; found "all"/],
  ],
  [
    '"data: none" in an events mapping',
    `${smallest}\nevents: { data: none, olny: [created] }`,
    [
      /^2: events\.olny is not known here; did you mean "only"\?/,
      /^2: events\.data must be "thin" or "full"; found "none"/,
    ],
  ],
  [
    'events that cannot occur',
    `${smallest}\nstates: { a: { go: b }, b: {}, c: {} }\nevents: { only: [created, b, a, c] }`,
    [
      /^3: events\.only\.2 must be one of "created", "changed", "deleted", "expired" or "b"; found "a"/,
      /^3: events\.only\.3 must be one of .*; found "c"/,
    ],
  ],
  [
    'an empty list of events',
    `${smallest}\nevents: { only: [] }`,
    [/^2: events\.only must have at least 1 item/],
  ],
  [
    'a state with the name of an event',
    `${smallest}\nstates:\n  a: { go: deleted }\n  deleted: {}`,
    [
      /^4: states\.deleted has the name of an event that all collections have.*Give it another name, or set "events"/,
    ],
  ],
  [
    'a state with the name of an event about members',
    `${smallest}\nroles:\n  taker: {}\naccess: { read: everyone }\nstates:\n  a: { go: { to: left, by: everyone, grants: taker } }\n  left: {}`,
    [/^\d+: states\.left has the name of an event that all collections have/],
  ],
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
    'an action that revokes an invited role, and one that sets a required field',
    `schema: { required: [text], properties: { text: { type: string, maxLength: 20 } } }
roles: { member: { invited_by: owner } }
access: { read: [owner, member] }
states:
  a: { go: { to: a, revokes: member } }
  b: { go: { to: a, sets: [text] } }`,
    [
      /^5: states\.a\.go\.revokes must be a role that only actions give.*; found "member"\. .*DELETE .*members\/me/,
      /^6: states\.b\.go\.sets\.0 is in "required".*; found "text"\. Remove it from "required"/,
    ],
  ],
  [
    'a state that only members leave, without a way out for the owner',
    reviewed('helper', '{ owner: [returned] }'),
    [/^5: states\.sent can become permanent: (?:\S+ ?){4,11}$/],
  ],
  [
    'a role that may invite in a state in which it cannot read',
    `${smallest}
roles: { reviewer: { invited_by: owner }, helper: { invited_by: reviewer } }
access: { read: { owner: all, helper: all, reviewer: [returned] } }
states:
  sent: { return: returned }
  returned: {}`,
    [/^2: roles\.helper\.invited_by lets "reviewer" invite in the state "sent", where it cannot read/],
  ],
  [
    'an invalid deprecation',
    `${smallest}\ndeprecated:\n  since: 1 January\n  link: ftp://example.org`,
    [
      /^3: deprecated\.since must be a date such as 2026-01-01; found "1 January"/,
      /^4: deprecated\.link must be an http or https URL; found "ftp:/,
    ],
  ],
  [
    'a deprecation with an impossible date and a blank in its link',
    `${smallest}\ndeprecated:\n  since: 2026-02-30\n  link: https://example.org/what changes`,
    [
      /^3: deprecated\.since must be a date such as 2026-01-01; found "2026-02-30"/,
      /^4: deprecated\.link must be an http or https URL; found "https:/,
    ],
  ],
  [
    'a sunset before the deprecation',
    `${smallest}\ndeprecated: { since: 2026-01-01, sunset: 2025-01-01 }`,
    [/^2: deprecated\.sunset must not come before "since"; found "2025-01-01"/],
  ],
  ['an index that is not a list', `${smallest}\nindex: text`, [/^2: index must be a list .*; found "text"/]],
  [
    'an index of an unknown property',
    `${smallest}\nindex: [txet]`,
    [/^2: index\.0 must be a property of the schema; found "txet", did you mean "text"\?/],
  ],
  ['an index of an optional property', `${smallest}\nindex: [text]`, [/^2: index\.0 must be in "required"/]],
  [
    'an index of an array',
    'schema: {required: [a], properties: {a: {type: array, items: {type: integer}}}}\nindex: [a]',
    [/^2: index\.0 must have the "type" string, integer, number or boolean; found "a"/],
  ],
  [
    'an index of an enum of mixed types',
    'schema: {required: [a], properties: {a: {enum: [1, red]}}}\nindex: [a]',
    [/^2: index\.0 must have the "type" string, integer, number or boolean; found "a"/],
  ],
  [
    'an index of a text over 500 characters',
    'schema: {required: [a], properties: {a: {type: string, maxLength: 501}}}\nindex: [a]',
    [/^2: index\.0 must have a "maxLength" of at most 500, or a format of such a length; found "a"/],
  ],
  [
    'an index of a format over 500 characters',
    'schema: {required: [a], properties: {a: {type: string, format: uri}}}\nindex: [a]',
    [/^2: index\.0 must have a "maxLength" of at most 500, or a format of such a length; found "a"/],
  ],
  [
    'an index named like a query parameter',
    'schema: {required: [limit], properties: {limit: {type: integer}}}\nindex: [limit]',
    [/^2: index\.0 has a name that is reserved in queries/],
  ],
  [
    'an index named "mine"',
    'schema: {required: [mine], properties: {mine: {type: boolean}}}\nindex: [mine]',
    [/^2: index\.0 has a name that is reserved in queries/],
  ],
  [
    'a duplicate index',
    'schema: {required: [a], properties: {a: {type: integer}}}\nindex: [a, a]',
    [/^2: index\.1 is there twice/],
  ],
  [
    'an indexed date-time with a maxLength',
    'schema: {required: [a], properties: {a: {type: string, format: date-time, maxLength: 20}}}\nindex: [a]',
    [/^2: index\.0 is stored in UTC with milliseconds, so the field cannot have minLength, maxLength/],
  ],
];

describe('an invalid declaration is refused with its line:', () => {
  for (const [what, text, expected] of wrong) {
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
