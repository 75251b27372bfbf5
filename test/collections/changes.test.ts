import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeChanges } from '../../src/collections/check-against.ts';
import { declared } from '../support/services/declared.ts';

const before = `
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
      const text = before.replace(from, to);
      assert.notEqual(text, before);
      assert.deepEqual(describeChanges(declared(before), declared(text)), expected);
    });
  }

  it('reports an added and a removed state machine', () => {
    const text = 'schema: {properties: {a: {type: integer}}}';
    const [without, having] = [declared(text), declared(`${text}\nstates: {open: {}}`)];
    assert.deepEqual(describeChanges(without, having), ['state machine added']);
    assert.deepEqual(describeChanges(having, without), ['state machine removed']);
  });

  it('reports nothing for a declaration restored from storage', () => {
    assert.deepEqual(describeChanges(declared(before), declared(before)), []);
  });
});
