import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { checkAgainst, describeChanges, sentenceOf } from '../../src/collections/check-against.ts';
import { type Declaration, storedDeclarations } from '../../src/collections/declaration.ts';
import type { Storage } from '../../src/storage/port.ts';
import { insertAll } from '../support/databases/batches.ts';
import { createTestDatabase } from '../support/databases/databases.ts';
import { newRecord } from '../support/databases/records.ts';
import { declared } from '../support/services/declared.ts';
import { databaseEngines } from '../support/services/service.ts';

const bookings = (changes: Readonly<Record<string, string>> = {}) => {
  let text = `
schema:
  required: [seats]
  properties:
    seats: { type: integer, maximum: 8 }
    note: { type: string, maxLength: 500 }
    slot: { type: string, format: date-time }
states: { draft: { cancel: cancelled }, cancelled: {} }`;
  for (const [from, to] of Object.entries(changes)) text = text.replace(from, to);
  return declared(text, 'bookings');
};
/** The keys of a stored declaration. */
const storedForm = 'access aliases concurrency events history index limits schema search states unique';
const digest = createKeyedDigest(Buffer.from('a key'));

for (const engine of databaseEngines) {
  describe(`checkAgainst with the records on ${engine}`, () => {
    let storage: Storage;
    const { checkFields: _, ...former } = bookings();
    const inForce = new Map<string, Declaration>([['bookings', former]]);
    const sentences = async (declaredNow: readonly ReturnType<typeof bookings>[], stored = inForce) =>
      (await checkAgainst({ stored, declared: declaredNow, records: storage.records })).map(sentenceOf);
    before(async () => {
      storage = await (await createTestDatabase(engine)).open();
      // More than two pages, so that the last page is also checked.
      const booked = Array.from({ length: 1100 }, (_, index) => {
        const fields = { seats: index < 37 ? 8 : 2, slot: '2026-01-01T08:00:00+01:00' };
        const state = index < 3 ? 'cancelled' : 'draft';
        return newRecord({ collection: 'bookings', state, fields });
      });
      await insertAll(storage, [...booked, newRecord({ collection: 'orphans', fields: {} })]);
    });
    after(() => storage.close());

    const orphans = 'orphans: breaking: declared no more, 1 of 1 record would fail';
    const cases: readonly (readonly [changes: Readonly<Record<string, string>>, sentence: string])[] = [
      [{}, 'unchanged'],
      [{ 'maxLength: 500': 'maxLength: 800' }, 'compatible (note maxLength 500 -> 800)'],
      // All records have less.
      [{ 'maxLength: 500': 'maxLength: 5' }, 'compatible (note maxLength 500 -> 5)'],
      [{ 'maximum: 8': 'maximum: 4' }, 'breaking: seats maximum 8 -> 4, 37 of 1,100 records would fail'],
      [
        { '    slot: { type: string, format: date-time }\n': '' },
        'breaking: slot removed, 1,100 of 1,100 records would fail',
      ],
      [
        { 'cancelled: {}': 'gone: {}', 'cancel: cancelled': 'cancel: gone' },
        'breaking: states draft cancel to cancelled -> gone, states cancelled removed, states gone added, editable cancelled removed, editable gone added, 3 of 1,100 records would fail',
      ],
      [
        { 'states: { draft: { cancel: cancelled }, cancelled: {} }': '' },
        'breaking: state machine removed, 1,100 of 1,100 records would fail',
      ],
      // An index needs values that are stored in another form.
      [
        { '[seats]': '[seats, slot]', 'states:': 'index: [slot]\nstates:' },
        'breaking: required slot added, index slot (text) added, 1,100 of 1,100 records would fail',
      ],
    ];
    for (const [changes, sentence] of cases)
      it(`reports ${sentence}`, async () => {
        assert.deepEqual(await sentences([bookings(changes)]), [`bookings: ${sentence}`, orphans]);
      });

    it('checks record by record if no former declaration is stored', async () => {
      assert.deepEqual(await sentences([bookings()], new Map()), ['bookings: new', orphans]);
      assert.deepEqual(await sentences([bookings({ 'maximum: 8': 'maximum: 4' })], new Map()), [
        'bookings: breaking: 37 of 1,100 records would fail',
        orphans,
      ]);
    });

    it('reports records of a removed collection as breaking', async () => {
      const expected = 'bookings: breaking: declared no more, 1,100 of 1,100 records would fail';
      assert.deepEqual((await sentences([])).toSorted(), [expected, orphans]);
    });

    it('stored declarations are loaded only with a valid MAC', async () => {
      const kept = storedDeclarations(storage.documents, digest);
      assert.deepEqual(await kept.load(), new Map());
      await kept.save([bookings()]);
      // Another form needs another version.
      const { version, files } = JSON.parse(String((await storage.documents.read('collections'))?.content));
      assert.deepEqual([version, Object.keys(files[0][1]).sort().join(' ')], [3, storedForm]);
      assert.deepEqual(await kept.load(), inForce);
      const loaded = await kept.load();
      assert.deepEqual(await sentences([bookings()], new Map(loaded)), ['bookings: unchanged', orphans]);
      const found = await storage.documents.read('collections');
      assert.ok(found);
      await storage.documents.write('collections', found.content.replace('500', '501'), found.mac);
      assert.deepEqual(await kept.load(), new Map());
      await storage.documents.write('collections', found.content, found.mac.slice(1));
      assert.deepEqual(await kept.load(), new Map());
      const otherKey = storedDeclarations(storage.documents, createKeyedDigest(Buffer.from('another')));
      await storage.documents.write('collections', found.content, found.mac);
      assert.deepEqual(await otherKey.load(), new Map());
      assert.deepEqual(await kept.load(), inForce);
    });
  });
}

const declaredBefore = `
title: Bookings
schema:
  required: [slot, seats]
  properties:
    slot: { type: string, format: date-time }
    seats: { type: integer, minimum: 1, maximum: 8 }
    note: { type: string, maxLength: 500 }
    tags: { type: array, maxItems: 5, items: { type: string, maxLength: 10 } }
    place: { required: [city], properties: { city: { type: string, maxLength: 50 } } }
index: [slot]
states:
  draft: { submit: submitted, cancel: cancelled }
  submitted: { approve: { to: draft, by: client } }
  cancelled: {}
editable: [draft]
access: { clients: any }
limits: { writes: 30/min, expire: 90d }
`;

const changes: readonly (readonly [from: string, to: string, changes: readonly string[]])[] = [
  ['maximum: 8', 'maximum: 4', ['seats maximum 8 -> 4']],
  ['maxLength: 500', 'maxLength: 800', ['note maxLength 500 -> 800']],
  ['maximum: 8', 'multipleOf: 2', ['seats maximum 8 -> none', 'seats multipleOf none -> 2']],
  ['    note: { type: string, maxLength: 500 }\n', '', ['note removed']],
  ['    note:', '    more: { type: integer }\n    note:', ['more added']],
  ['[slot, seats]', '[slot, seats, note]', ['required note added']],
  ['[slot, seats]', '[slot]', ['required seats removed']],
  ['type: integer', 'type: number', ['seats type integer -> number']],
  ['maxLength: 10 }', 'maxLength: 5 }', ['tags items maxLength 10 -> 5']],
  ['maxItems: 5', 'maxItems: 3', ['tags maxItems 5 -> 3']],
  ['maxLength: 50 }', 'maxLength: 40 }', ['place city maxLength 50 -> 40']],
  ['required: [city]', 'required: []', ['place required city removed']],
  ['[slot]\nstates', '[slot, seats]\nstates', ['index seats (number) added']],
  [
    'cancel: cancelled }\n  submitted: { approve: { to: draft, by: client } }\n  cancelled: {}',
    'cancel: dropped }\n  submitted: { approve: { to: draft, by: client } }\n  dropped: {}',
    ['states draft cancel to cancelled -> dropped', 'states cancelled removed', 'states dropped added'],
  ],
  ['by: client', 'by: any', ['states submitted approve by client -> any']],
  ['editable: [draft]', 'editable: [submitted, draft]', ['editable submitted added']],
  ['editable: [draft]', 'editable: []', ['editable draft removed']],
  ['title: Bookings', 'title: Seats', ['title Bookings -> Seats']],
  ['title: Bookings', 'title: Bookings\nsingular: Booking', ['singular none -> Booking']],
  ['clients: any', 'clients: own', ['access clients any -> own']],
  ['30/min', '60/minute', ['writes 30/min -> 60/min']],
  ['expire: 90d', 'newcomer: 5/day for 7d', ['newcomer none -> 5/d for 7d', 'expire 90d -> none']],
  ['editable: [draft]', 'editable: [draft]\nevents: none', ['events removed']],
  [
    'editable: [draft]',
    'editable: [draft]\nevents: { data: full, only: [created] }',
    ['events data thin -> full', 'events only none -> ["created"]'],
  ],
  ['title: Bookings', 'title:   "Bookings"', []],
  ['states:\n', 'states: # the order of the others\n', []],
];

describe('describeChanges', () => {
  for (const [from, to, expected] of changes) {
    it(`reports ${expected.join(', ') || 'none'}`, () => {
      const text = declaredBefore.replace(from, to);
      assert.notEqual(text, declaredBefore);
      assert.deepEqual(describeChanges(declared(declaredBefore), declared(text)), expected);
    });
  }

  it('reports an added and a removed state machine', () => {
    const text = 'schema: {properties: {a: {type: integer}}}';
    const [without, having] = [declared(text), declared(`${text}\nstates: {open: {}}`)];
    assert.deepEqual(describeChanges(without, having), ['state machine added']);
    assert.deepEqual(describeChanges(having, without), ['state machine removed']);
  });

  it('reports nothing for a declaration restored from storage', () => {
    assert.deepEqual(describeChanges(declared(declaredBefore), declared(declaredBefore)), []);
  });
});
