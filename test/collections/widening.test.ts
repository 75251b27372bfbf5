import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection } from '../../src/collections/collection.ts';
import { checkCollections } from '../../src/collections/read-collections.ts';
import { wideningIn, wideningText } from '../../src/collections/widening.ts';
import { declared } from '../support/services/declared.ts';

const text = `
schema: { properties: { text: { type: string, maxLength: 60 }, reason: { type: string, maxLength: 60 } } }
roles:
  moderator: { scope: issues.moderate }
  helper: { invited_by: owner }
  solver: { max_per_user: 5 }
access:
  read: { owner: all, moderator: all, solver: all, helper: all, everyone: [open] }
  update: { owner: [open] }
  scopes: { write: issues.write }
states:
  open: { hide: { to: hidden, by: moderator }, claim: { to: open, by: everyone, grants: solver } }
  hidden: { show: { to: open, by: moderator } }
`;
const counts: Readonly<Record<string, number>> = { open: 1200, hidden: 1 };

function wideningBy(changes: Readonly<Record<string, string>>): readonly string[] {
  return wideningOf(text, changes, declared);
}

function wideningOf(
  former: string,
  changes: Readonly<Record<string, string>>,
  read: (text: string) => Collection,
): readonly string[] {
  let changed = former;
  for (const [from, to] of Object.entries(changes)) changed = changed.replace(from, to);
  assert.notEqual(changed, former);
  const [before, after] = [former, changed].map((one) => read(one));
  assert.ok(before && after);
  return wideningIn(before, after, (state) => counts[state ?? ''] ?? counted[state ?? ''] ?? 0).map(
    wideningText,
  );
}

const write = 'update in open (1,200 records)';

describe('a declaration gives more access', () => {
  const cases: Readonly<
    Record<string, readonly [changes: Readonly<Record<string, string>>, wider: readonly string[]]>
  > = {
    'to readers in a further state': [
      { 'everyone: [open]': 'everyone: [open, hidden]' },
      ['everyone may also read in hidden (1 record)'],
    ],
    'to another role': [
      { 'update: { owner: [open] }': 'update: { owner: [open], helper: [open, hidden] }' },
      ['helper may also update in open, hidden (1,201 records)'],
    ],
    'by an action that is open to another role': [
      { 'show: { to: open, by: moderator }': 'show: { to: open, by: [moderator, owner] }' },
      ['owner may also show in hidden (1 record)'],
    ],
    'by an action that newly sets a field': [
      { 'hide: { to: hidden, by: moderator }': 'hide: { to: hidden, by: moderator, sets: [reason] }' },
      ['moderator may also set reason in open (1,200 records)'],
    ],
    'by an action that newly grants a role': [
      {
        'show: { to: open, by: moderator }':
          'show: { to: open, by: moderator, grants: solver, revokes: solver }',
      },
      ['moderator may also become solver in hidden (1 record)'],
    ],
    'by invitation': [
      { 'helper: { invited_by: owner }': 'helper: { invited_by: [owner, helper] }' },
      ['helper may also invite helper in open, hidden (1,201 records)'],
    ],
    'to a new role that can do more than everyone': [
      {
        'helper: { invited_by: owner }': 'helper: { invited_by: owner }\n  guest: { invited_by: owner }',
        'helper: all': 'helper: all, guest: all',
      },
      [
        'owner may also invite guest in open, hidden (1,201 records)',
        'guest may also read in hidden (1 record)',
      ],
    ],
    'to a role with another scope': [
      { 'scope: issues.moderate': 'scope: openid' },
      [
        'moderator may also read in hidden (1 record)',
        'moderator may also hide in open (1,200 records)',
        'moderator may also show in hidden (1 record)',
      ],
    ],
    'to machine clients': [
      { 'scopes:': 'clients: own\n  scopes:' },
      [
        'client may also create in open (1,200 records)',
        'client may also read in open, hidden (1,201 records)',
        `client may also ${write}`,
        'client may also delete in open, hidden (1,201 records)',
      ],
    ],
    'in a new state with wider access than any other': [
      {
        'hidden: { show: { to: open, by: moderator } }':
          'hidden: { show: { to: open, by: moderator } }\n  drawn: { hide: { to: hidden, by: moderator } }',
        'read: { owner: all, ': 'delete: { everyone: [drawn], owner: all }\n  read: { owner: all, ',
        'everyone: [open]': 'everyone: [open, drawn]',
      },
      [
        'moderator may also delete in drawn (0 records)',
        'helper may also delete in drawn (0 records)',
        'solver may also delete in drawn (0 records)',
        'everyone may also delete in drawn (0 records)',
      ],
    ],
  };
  for (const [what, [changes, wider]] of Object.entries(cases))
    it(what, () => assert.deepEqual(wideningBy(changes), wider));

  it('to callers without a formerly required scope', () => {
    const wider = wideningBy({ '  scopes: { write: issues.write }\n': '' });
    assert.ok(wider.includes(`owner may also ${write}`), wider.join('\n'));
    assert.ok(wider.every((one) => !one.includes(' read ')));
  });

  it('not when access is reduced or a new state allows no more', () => {
    const narrower = wideningBy({
      ', everyone: [open]': '',
      ', claim: { to: open, by: everyone, grants: solver }': '',
      '  solver: { max_per_user: 5 }\n': '',
      'solver: all, ': '',
    });
    assert.deepEqual(narrower, []);
    // The owner could update the field before.
    assert.deepEqual(wideningBy({ 'open: {': 'open: { close: { to: open, by: owner, sets: [reason] },' }), [
      'owner may also close in open (1,200 records)',
    ]);
    assert.deepEqual(wideningBy({ 'helper: all, ': '', '  helper: { invited_by: owner }\n': '' }), []);
    assert.deepEqual(wideningBy({ 'hidden: {': 'archived: {}\n  hidden: {' }), []);
  });
});

const handins = `
parent: { field: task, collection: tasks, accepts: { states: [open], before: due }, max: 50 }
schema: { properties: { text: { type: string, maxLength: 60 } } }
roles: { teacher: { parent_roles: owner }, moderator: { scope: handins.moderate } }
access: { create: everyone, read: { owner: all, teacher: [sent], moderator: all }, delete: { owner: [draft] } }
states:
  draft: { send: { to: sent, by: owner, while_parent_accepts: true } }
  sent: {}
`;
const above = `
schema: { required: [due], properties: { due: { type: string, format: date } } }
access: { read: { owner: all, everyone: [open, closed] } }
states: { open: { close: closed }, closed: {} }
`;
const counted: Readonly<Record<string, number>> = { draft: 3, sent: 2 };

/** The child collection, with two possible parents: tasks and duties. */
function underTasks(text: string): Collection {
  const files = Object.entries({ handins: text, tasks: above, duties: above });
  const { collections, mistakes } = checkCollections(
    files.map(([name, one]) => ({ name, path: `${name}.yaml`, text: one })),
  );
  assert.deepEqual(mistakes, []);
  return collections[0] as Collection;
}

describe('a declaration of records under a parent gives more access', () => {
  const roles = ['teacher', 'moderator', 'everyone'];
  const createAndSend = (how: string) => [
    `owner may also send ${how} in draft (3 records)`,
    ...roles.map((role) => `${role} may also create ${how} in draft (3 records)`),
  ];
  const cases: Readonly<
    Record<string, readonly [changes: Readonly<Record<string, string>>, wider: readonly string[]]>
  > = {
    'by a further state of the parent in which they can be created': [
      { 'states: [open]': 'states: [open, closed]' },
      createAndSend('under closed'),
    ],
    'by any state of the parent': [{ 'states: [open], ': '' }, createAndSend('under other states')],
    'by a removed deadline': [{ ', before: due': '' }, createAndSend('after due')],
    'by a removed state condition and deadline': [
      { 'accepts: { states: [open], before: due }, ': '', ', while_parent_accepts: true': '' },
      createAndSend('under other states or after due'),
    ],
    'by an action that no longer needs an accepting parent': [
      { ', while_parent_accepts: true': '' },
      ['owner may also send under other states or after due in draft (3 records)'],
    ],
    'by another parent collection': [
      { 'collection: tasks': 'collection: duties' },
      [
        'teacher may also create in draft (3 records)',
        'teacher may also read in sent (2 records)',
        'moderator may also create in draft (3 records)',
        'moderator may also read in draft, sent (5 records)',
        'everyone may also create in draft (3 records)',
      ],
    ],
    'by ownership of the parent': [
      { 'max: 50': 'owned_by: parent' },
      [
        'owner may also read in draft, sent (5 records)',
        'owner may also update in draft, sent (5 records)',
        'owner may also delete in draft (3 records)',
        'owner may also send in draft (3 records)',
      ],
    ],
  };
  for (const [what, [changes, wider]] of Object.entries(cases))
    it(what, () => assert.deepEqual(wideningOf(handins, changes, underTasks), wider));

  it('without a parent, when its field stays', () => {
    const wider = wideningOf(
      handins,
      {
        'parent: { field: task, collection: tasks, accepts: { states: [open], before: due }, max: 50 }\n': '',
        'properties: {': 'required: [task], properties: { task: { type: string, maxLength: 36 },',
        'teacher: { parent_roles: owner }, ': '',
        'teacher: [sent], ': '',
        ', while_parent_accepts: true': '',
      },
      underTasks,
    );
    assert.ok(wider.includes('moderator may also read in draft, sent (5 records)'), wider.join('\n'));
    assert.ok(wider.includes('everyone may also create in draft (3 records)'));
    assert.ok(wider.includes('owner may also send under other states or after due in draft (3 records)'));
  });

  it('not by other limits or fewer accepting states', () => {
    for (const changes of [
      { ', max: 50': '' },
      { 'max: 50': 'on_delete: cascade' },
      { 'max: 50': 'counts: true' },
    ])
      assert.deepEqual(wideningOf(handins, changes as unknown as Record<string, string>, underTasks), []);
    const wider = handins.replace('states: [open]', 'states: [open, closed]');
    assert.deepEqual(wideningOf(wider, { ', closed]': ']' }, underTasks), []);
  });
});
