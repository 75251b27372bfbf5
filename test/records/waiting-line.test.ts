import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCollections } from '../../src/collections/read-collections.ts';
import { FamilyState } from '../../src/records/rules/family-state.ts';
import type { Loaded, StoredRecord } from '../../src/storage/port.ts';

const talks = `
schema: { properties: { text: { type: string, maxLength: 20 } } }`;
const seats = `
parent: { field: talk, collection: talks, capacity: { states: [taken], number: 1, overflow: waiting } }
schema: { properties: { text: { type: string, maxLength: 20 } } }
states: { taken: { leave: left }, waiting: { leave: left }, left: {} }`;

describe('the waiting list in a batch', () => {
  it('is ordered by creation time, also when an older request arrives later', () => {
    const stored = record('b', 20);
    const records = new Map([['seats\0b', stored]]);
    const waiting = [{ collection: 'talks', id: 't', child: 'seats', ids: ['b'] }];
    const state = new FamilyState({ waiting } as unknown as Loaded, declared(), records);
    const older = record('c', 10);
    records.set('seats\0c', older);
    state.move(null, older);
    assert.deepEqual(
      state.waiting('seats', 't').map(({ id }) => id),
      ['c', 'b'],
    );
  });
});

function declared() {
  const files = Object.entries({ talks, seats });
  const collections = readCollections(files.map(([name, text]) => ({ name, path: `${name}.yaml`, text })));
  return new Map(collections.map((one) => [one.name, one]));
}

function record(id: string, createdAt: number): StoredRecord {
  const body = JSON.stringify({ talk: 't' });
  return {
    collection: 'seats',
    id,
    owner: 'ada',
    parentId: 't',
    state: 'waiting',
    revision: 'r',
    createdAt,
    updatedAt: createdAt,
    body,
  };
}
