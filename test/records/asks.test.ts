import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { PeopleNames } from '../../src/records/people-names.ts';
import { allAsks } from '../../src/records/rules/asks.ts';
import { createBatchRules } from '../../src/records/rules/batch-rules.ts';
import { BatchState } from '../../src/records/rules/batch-state.ts';
import { unused } from '../../src/records/rules/budgets.ts';
import { LoadedRows, NotAsked } from '../../src/records/rules/loaded-rows.ts';
import type { Change, Operation, RecordChange } from '../../src/records/rules/operation.ts';
import type { BatchKeys, BatchRules, Loaded, Outcome } from '../../src/storage/port.ts';
import { MemoryStore } from '../support/databases/memory-store.ts';

const declarations = {
  notes: `
schema: { properties: { text: { type: string, maxLength: 20 } } }`,
  clubs: `
schema: { properties: { text: { type: string, maxLength: 20 } } }
roles:
  member: { invited_by: owner, max: 5 }
  guide: { invited_by: owner, max: 5 }
  keeper: { max_per_user: 2 }
  owner: { invited_by: owner, previous_owner: member }
access: { read: [owner, member, guide, keeper], update: owner, delete: owner }
states:
  open: { keep: { to: kept, by: member, grants: keeper } }
  kept: { give: { to: open, by: [owner, keeper], revokes: keeper } }`,
  seats: `
parent: { field: club, collection: clubs, on_delete: restrict, max: 9, capacity: { states: [taken], number: 1, overflow: waiting } }
schema: { required: [place], properties: { place: { type: integer } } }
roles: { person: { parent_roles: [owner, member, guide] }, helper: { max_per_user: 2 } }
access: { create: person, read: [owner, person], update: owner, delete: owner }
states:
  taken:
    leave: gone
    help: { to: taken, by: person, grants: helper, revokes: helper }
    choose: { to: taken, by: owner, grants: helper, chosen_from: person, revokes: helper }
  waiting: { leave: gone }
  gone: { return: taken }
unique: [{ fields: [parent, place], states: [taken, waiting] }]`,
};
const data = {
  collections: readCollections(
    Object.entries(declarations).map(([name, text]) => ({ name, path: `${name}.yaml`, text })),
  ),
  newcomersPerHour: 100,
  digestKey: new Uint8Array(32),
  isStrict: true,
};
const rules = await createBatchRules(data);
const names = new PeopleNames(createKeyedDigest(data.digestKey));
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const admitted = Object.fromEntries(Object.keys(declarations).map((name) => [name, []]));
const clubId = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';
let count = 0;

function by(person: string, change: Change): Operation {
  const caller = { id: `usr_${person}`, kind: 'user', isMachine: false, scopeRoles: admitted } as const;
  return { caller, now: Date.UTC(2026, 0, 1), proof: null, change };
}

type WithoutNames<One> = One extends unknown ? Omit<One, 'collection' | 'id' | 'revision'> : never;

function of(name: string, change: WithoutNames<RecordChange>): RecordChange {
  const [collection = '', id = ''] = name.split('/');
  count += 1;
  return { collection, id, revision: `r${count}`, ...change } as RecordChange;
}

const seat = (place: number) => ({ body: JSON.stringify({ club: clubId, place }), parentId: clubId });
const note = { body: '{}', parentId: null };
const key = { keyDigest: bytes('key'), requestDigest: bytes('request') };
const expected = null;
const act = (action: string) => of('seats/s', { kind: 'act', action, expected });

const invite = (role: string, code: string) => {
  const invitation = { digest: bytes(code), id: code, role, usesLeft: 1, expiresAt: 9e12 };
  return of(`clubs/${clubId}`, { kind: 'invite', invitation, open: 0, expected });
};
const accept = (code: string): Change => ({ kind: 'accept', digest: bytes(code), revision: code, admitted });
const aliasOf = (person: string) => names.alias({ collection: 'clubs', id: clubId }, `usr_${person}`);

/** A club of Ada, of which Bob is a member, with one seat that is taken and one that waits. */
function club(): MemoryStore {
  const store = new MemoryStore();
  const begin = [
    by('ada', of(`clubs/${clubId}`, { kind: 'create', ...note, key: null })),
    by('ada', invite('member', 'bob')),
    by('bob', accept('bob')),
    by('ada', of('seats/s', { kind: 'create', ...seat(1), key: null })),
    by('bob', of('seats/w', { kind: 'create', ...seat(2), key: null })),
    by('cid', { kind: 'register' }),
    by('ada', invite('guide', 'cid')),
    by('ada', invite('owner', 'owner')),
  ];
  for (const operation of begin) done(store.run([operation], rules), operation);
  return store;
}

function done([outcome]: readonly Outcome[], { change }: Operation): void {
  assert.ok(outcome !== undefined && 'done' in outcome, `${change.kind}: ${JSON.stringify(outcome)}`);
}

interface Row {
  readonly name: string;
  readonly operation: Operation;
  /** How often rows are loaded: each time is a round trip to PostgreSQL. */
  readonly rounds: number;
  readonly before?: readonly Operation[];
}

const left = [by('ada', act('leave')), by('bob', of('seats/w', { kind: 'remove', expected }))];
const keyed = by('ada', of('notes/n', { kind: 'create', ...note, key }));
const kept = by('bob', of(`clubs/${clubId}`, { kind: 'act', action: 'keep', expected }));
const rows: readonly Row[] = [
  { name: 'register', operation: by('ada', { kind: 'register' }), rounds: 1 },
  { name: 'register a new caller', operation: by('dan', { kind: 'register' }), rounds: 2 },
  {
    name: 'use a proof only',
    operation: { ...by('ada', { kind: 'refused' }), proof: { digest: bytes('proof'), expiresAt: 9e12 } },
    rounds: 1,
  },
  { name: 'create', operation: by('ada', of('notes/n', { kind: 'create', ...note, key: null })), rounds: 1 },
  { name: 'create with a key', operation: keyed, rounds: 1 },
  { name: 'create again', before: [keyed], operation: keyed, rounds: 2 },
  {
    name: 'create under a parent',
    operation: by('bob', of('seats/n', { kind: 'create', ...seat(3), key: null })),
    rounds: 1,
  },
  {
    name: 'create under a chosen id',
    operation: by('bob', of('seats/n', { kind: 'create_under', ...seat(3) })),
    rounds: 1,
  },
  {
    name: 'replace',
    operation: by('ada', of('seats/s', { kind: 'replace', body: seat(4).body, expected })),
    rounds: 2,
  },
  {
    name: 'patch',
    operation: by('ada', of('seats/s', { kind: 'patch', patch: { place: 4 }, expected })),
    rounds: 2,
  },
  {
    name: 'patch without a parent',
    operation: by('ada', of(`clubs/${clubId}`, { kind: 'patch', patch: { text: 'x' }, expected })),
    rounds: 1,
  },
  { name: 'act, and free a place', operation: by('ada', act('leave')), rounds: 3 },
  { name: 'act, and take a place', before: left, operation: by('ada', act('return')), rounds: 2 },
  { name: 'act, and get a role', operation: by('bob', act('help')), rounds: 2 },
  {
    name: 'act, and give a role',
    operation: by('ada', of('seats/s', { kind: 'act', action: 'choose', chosen: aliasOf('bob'), expected })),
    rounds: 3,
  },
  { name: 'remove', operation: by('ada', of('seats/s', { kind: 'remove', expected })), rounds: 3 },
  {
    name: 'remove a parent',
    before: [...left, by('ada', of('seats/s', { kind: 'remove', expected }))],
    operation: by('ada', of(`clubs/${clubId}`, { kind: 'remove', expected })),
    rounds: 1,
  },
  { name: 'invite', operation: by('ada', invite('guide', 'dan')), rounds: 1 },
  {
    name: 'end an invitation',
    operation: by(
      'ada',
      of(`clubs/${clubId}`, { kind: 'end_invitation', invitation: 'cid', digest: bytes('cid'), expected }),
    ),
    rounds: 1,
  },
  { name: 'accept', operation: by('cid', accept('cid')), rounds: 2 },
  {
    name: 'accept with a role by an action',
    before: [kept],
    operation: by('cid', accept('owner')),
    rounds: 2,
  },
  { name: 'accept ownership', operation: by('cid', accept('owner')), rounds: 2 },
  {
    name: 'change a role',
    operation: by(
      'ada',
      of(`clubs/${clubId}`, { kind: 'change_role', alias: aliasOf('bob'), role: 'guide', expected }),
    ),
    rounds: 2,
  },
  {
    name: 'remove a member',
    operation: by('ada', of(`clubs/${clubId}`, { kind: 'remove_member', alias: aliasOf('bob'), expected })),
    rounds: 2,
  },
  {
    name: 'leave',
    operation: by('bob', of(`clubs/${clubId}`, { kind: 'remove_member', alias: null, expected })),
    rounds: 1,
  },
  {
    name: 'several changes',
    operation: by('ada', {
      kind: 'batch',
      isCut: false,
      key,
      parts: [
        of('clubs/new', { kind: 'create', ...note, key: null }),
        of('seats/first', {
          kind: 'create',
          body: JSON.stringify({ club: 'new', place: 1 }),
          parentId: 'new',
          key: null,
        }),
        of('seats/first', { kind: 'act', action: 'leave', expected }),
      ].map((change) => ({ caller: by('ada', change).caller, change })),
    }),
    rounds: 1,
  },
  {
    name: 'fill places',
    operation: by('service', {
      kind: 'fill',
      child: 'seats',
      parent: { collection: 'clubs', id: clubId },
      revision: 'f',
    }),
    rounds: 2,
  },
];

/** Runs a row by some rules, and returns what was loaded in each round. */
function roundsOf({ before = [], operation }: Row, by: BatchRules): readonly BatchKeys[] {
  const store = club();
  for (const one of before) done(store.run([one], rules), one);
  const rounds: BatchKeys[] = [];
  const noted = <Keys extends BatchKeys | null>(keys: Keys): Keys => {
    if (keys !== null) rounds.push(keys);
    return keys;
  };
  const keysOf: BatchRules['keysOf'] = (given) => noted(by.keysOf(given));
  const furtherKeys: BatchRules['furtherKeys'] = (...given) => noted(by.furtherKeys(...given));
  done(store.run([operation], { ...by, keysOf, furtherKeys }), operation);
  return rounds;
}

/** People are locked in one order only if one round asks for all of them. */
function locksPeopleOnce(row: Row, by: BatchRules): boolean {
  return roundsOf(row, by).filter(({ consumers }) => consumers !== undefined).length === 1;
}

describe('what the rules ask for', () => {
  for (const row of rows)
    it(`is loaded in ${row.rounds} ${row.rounds === 1 ? 'round' : 'rounds'}: ${row.name}`, () => {
      assert.equal(roundsOf(row, rules).length, row.rounds);
    });

  const { first, ...others } = allAsks;
  for (const [kind, asks] of Object.entries(others))
    for (const ask of asks)
      it(`is complete: ${kind} fails without ${ask.name}`, async () => {
        const fewer = await createBatchRules(data, {
          ...allAsks,
          [kind]: (asks as readonly unknown[]).filter((one) => one !== ask),
        });
        const ofKind = rows.filter(({ operation }) => kind === 'any' || operation.change.kind === kind);
        const failed = ofKind.filter((row) => {
          try {
            roundsOf(row, fewer);
            return false;
          } catch (error) {
            return String(error).includes('no rule has asked for');
          }
        });
        assert.notEqual(failed.length, 0);
      });

  it('includes the usage that a batch changes', () => {
    const state = new BatchState(new LoadedRows({ asked: {} } as Loaded, { isAsking: false }), {
      collections: new Map(),
      formerOf: bytes,
    });
    state.apply({ usage: { owner: 'usr_ada', collection: 'notes', after: unused } });
    assert.throws(() => state.changes(), NotAsked);
  });

  for (const kind of Object.keys(first))
    it(`is looked at first: ${kind} locks people twice without it`, async () => {
      const fewer = await createBatchRules(data, { ...allAsks, first: { ...first, [kind]: [] } });
      const ordered = rows.filter(({ operation }) => operation.change.kind === kind);
      assert.ok(ordered.every((row) => locksPeopleOnce(row, rules)));
      assert.ok(ordered.some((row) => !locksPeopleOnce(row, fewer)));
    });
});
