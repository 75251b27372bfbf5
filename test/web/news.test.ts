import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection, RecordItem } from '../../web/src/api/types.ts';
import { type Happening, sentenceOf, sentenceOfMany } from '../../web/src/events/sentence.ts';
import { newsOf } from '../../web/src/records/news.ts';
import { described } from './described.ts';

const bookings = described('bookings', 'Bookings');

function event(kind: string, state: string | null = null): Happening {
  return { type: `bookings.${kind}`, data: { state } };
}

describe('the notice of a change elsewhere', () => {
  for (const [kind, state, words] of [
    ['created', 'draft', 'Bookings: “Friday” is new.'],
    ['changed', 'draft', 'Bookings: “Friday” was changed.'],
    ['deleted', 'draft', 'Bookings: “Friday” was deleted.'],
    ['expired', null, 'Bookings: “Friday” has expired.'],
    ['approved', 'approved', 'Bookings: “Friday” is approved now.'],
    ['handed_out', 'handed_out', 'Bookings: “Friday” is handed out now.'],
  ] as const) {
    it(`names a record and what happened: ${kind}`, () =>
      assert.equal(sentenceOf(bookings, event(kind, state), 'Friday'), words));
  }

  it('names no record that was never shown', () => {
    assert.equal(sentenceOf(bookings, event('deleted'), null), 'Bookings: one was deleted.');
  });

  it('shortens a long record name', () => {
    const words = sentenceOf(bookings, event('created'), '🦶'.repeat(200));
    assert.equal(words, `Bookings: “${'🦶'.repeat(59)}…” is new.`);
  });

  it('counts several changes in one sentence', () => {
    assert.equal(sentenceOfMany(bookings, 12), 'Bookings: 12 changes made elsewhere.');
  });
});

const visits: Collection = {
  ...described('visits', 'Visits'),
  schema: { type: 'object', properties: { guest: { type: 'string' } } },
};

function visit(guest: string, state = 'asked_for', updated_at = '2027-01-01T00:00:00Z'): RecordItem {
  return { id: guest, guest, state, created_at: '2027-01-01T00:00:00Z', updated_at };
}

interface Case {
  readonly before: readonly RecordItem[];
  readonly after: readonly RecordItem[];
  readonly heard?: Readonly<Record<string, Happening>>;
  readonly goesOn?: 'before' | 'after';
  readonly isFiltered?: boolean;
  readonly collection?: Collection;
}

function news({
  before,
  after,
  heard = {},
  goesOn,
  isFiltered = false,
  collection = visits,
}: Case): readonly string[] {
  const list = (items: readonly RecordItem[], name: string) => {
    return { items, next: name === goesOn ? 'cursor' : null, position: 1, eventsScope: null };
  };
  const told = new Map(Object.entries(heard));
  return newsOf(collection, list(before, 'before'), list(after, 'after'), told, isFiltered);
}

function told(kind: string, state: string | null = null): Happening {
  return { type: `visits.${kind}`, data: { state } };
}

const [ada, ben] = [visit('Ada'), visit('Ben')];

describe('notices about a list that was read again', () => {
  it('there is no notice while the list is unchanged, whatever events came', () => {
    assert.deepEqual(news({ before: [ada], after: [ada], heard: { Ada: told('changed') } }), []);
    assert.deepEqual(news({ before: [], after: [], heard: { Ada: told('deleted') } }), []);
  });

  it('without an event the change is derived from both versions of the list', () => {
    assert.deepEqual(news({ before: [ada], after: [ben, ada] }), ['Visits: “Ben” is new.']);
    assert.deepEqual(news({ before: [ben, ada], after: [ada] }), ['Visits: “Ben” was deleted.']);
    const later = visit('Ada', 'asked_for', '2027-01-02T00:00:00Z');
    assert.deepEqual(news({ before: [ada], after: [later] }), ['Visits: “Ada” was changed.']);
    const approved = visit('Ada', 'approved');
    assert.deepEqual(news({ before: [ada], after: [approved] }), ['Visits: “Ada” is approved now.']);
  });

  it('an event decides what the notice says', () => {
    const expired = { before: [ada], after: [], heard: { Ada: told('expired') } };
    assert.deepEqual(news(expired), ['Visits: “Ada” has expired.']);
    const moved = {
      before: [ada],
      after: [],
      isFiltered: true,
      heard: { Ada: told('approved', 'approved') },
    };
    assert.deepEqual(news(moved), ['Visits: “Ada” is approved now.']);
  });

  it('no arrival or removal is derived beyond the end of a page', () => {
    assert.deepEqual(news({ before: [ada], after: [ben], goesOn: 'after' }), ['Visits: “Ben” is new.']);
    assert.deepEqual(news({ before: [ada], after: [ben], goesOn: 'before' }), ['Visits: “Ada” was deleted.']);
  });

  it('no arrival or removal is derived in a list filtered by state', () => {
    assert.deepEqual(news({ before: [ada], after: [ben], isFiltered: true }), []);
    const later = visit('Ada', 'asked_for', '2027-01-02T00:00:00Z');
    const changed = news({ before: [ada], after: [later], isFiltered: true });
    assert.deepEqual(changed, ['Visits: “Ada” was changed.']);
  });

  it('a record is not called deleted if the caller lost its role', () => {
    const collection = { ...visits, roles: { member: { invited_by: ['owner'] } } };
    const [theirs, own] = [
      { ...ada, roles: ['member'] },
      { ...ben, roles: ['owner'] },
    ];
    const lost = { collection, before: [theirs], after: [] };
    assert.deepEqual(news({ ...lost, heard: { Ada: told('left') } }), [
      'Visits: “Ada” is no longer shared with you.',
    ]);
    assert.deepEqual(news(lost), ['Visits: “Ada” is not there any more.']);
    assert.deepEqual(news({ ...lost, heard: { Ada: told('deleted') } }), ['Visits: “Ada” was deleted.']);
    assert.deepEqual(news({ collection, before: [own], after: [] }), ['Visits: “Ben” was deleted.']);
  });

  it('a record is called shared only if it came with a "joined" event', () => {
    const collection = { ...visits, roles: { member: { invited_by: ['owner'] } } };
    const heard = { Ada: told('joined') };
    assert.deepEqual(news({ collection, before: [], after: [ada], heard }), [
      'Visits: “Ada” is shared with you now.',
    ]);
    const approved = visit('Ada', 'approved');
    assert.deepEqual(news({ collection, before: [ada], after: [approved], heard }), [
      'Visits: “Ada” is approved now.',
    ]);
  });
});
