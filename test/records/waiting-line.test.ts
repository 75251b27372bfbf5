import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection } from '../../src/collections/collection.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { BatchState } from '../../src/records/rules/batch-state.ts';
import { LoadedRows } from '../../src/records/rules/loaded-rows.ts';
import type { Loaded, StoredRecord } from '../../src/storage/port.ts';

const talks = `
schema: { properties: { text: { type: string, maxLength: 20 } } }`;
const seats = `
parent: { field: talk, collection: talks, capacity: { states: [taken], number: 1, overflow: waiting } }
schema: { properties: { text: { type: string, maxLength: 20 } } }
states: { taken: { leave: left }, waiting: { leave: left }, left: {} }`;

describe('the waiting list in a batch', () => {
  it('is ordered by creation time, also when an older request arrives later', () => {
    const collections = declared();
    const loaded = { waiting: [record('b', 20)], records: [], asked: {} } as unknown as Loaded;
    const rows = new LoadedRows(loaded, { isAsking: false });
    const state = new BatchState(rows, { collections, formerOf: () => new Uint8Array() });
    state.apply({ put: record('c', 10) });
    const waiting = state.parents.waiting(collections.get('seats') as Collection, 't');
    assert.equal(waiting.map(({ id }) => id).join(), 'c,b');
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
