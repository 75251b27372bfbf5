import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection, RecordItem } from '../../web/src/api/types.ts';
import { type Happening, sentenceOf, sentenceOfMany } from '../../web/src/events/sentence.ts';
import { newsOf } from '../../web/src/records/news.ts';
import { described } from './described.ts';
import './english.ts';

const bookings = described('bookings', 'Bookings');

function event(kind: string, state: string | null = null): Happening {
  return { type: `bookings.${kind}`, data: { state } };
}

describe('the notice of a change elsewhere', () => {
  for (const [kind, state, words] of [
    ['created', 'draft', 'New booking: Friday.'],
    ['changed', 'draft', 'Changed: Friday.'],
    ['deleted', 'draft', 'Deleted: Friday.'],
    ['expired', null, 'Expired: Friday.'],
    ['approved', 'approved', 'Marked as approved: Friday.'],
    ['handed_out', 'handed_out', 'Marked as handed out: Friday.'],
  ] as const) {
    it(`names a record and what happened: ${kind}`, () =>
      assert.equal(sentenceOf(bookings, event(kind, state), 'Friday'), words));
  }

  it('shortens a long record name', () => {
    const words = sentenceOf(bookings, event('created'), '🦶'.repeat(200));
    assert.equal(words, `New booking: ${'🦶'.repeat(59)}….`);
  });

  it('counts several changes in one sentence', () => {
    assert.equal(sentenceOfMany(bookings, 12), '12 changes in Bookings.');
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
    assert.deepEqual(news({ before: [ada], after: [ben, ada] }), ['New visit: Ben.']);
    assert.deepEqual(news({ before: [ben, ada], after: [ada] }), ['Deleted: Ben.']);
    const later = visit('Ada', 'asked_for', '2027-01-02T00:00:00Z');
    assert.deepEqual(news({ before: [ada], after: [later] }), ['Changed: Ada.']);
    const approved = visit('Ada', 'approved');
    assert.deepEqual(news({ before: [ada], after: [approved] }), ['Marked as approved: Ada.']);
  });

  it('an event decides what the notice says', () => {
    const expired = { before: [ada], after: [], heard: { Ada: told('expired') } };
    assert.deepEqual(news(expired), ['Expired: Ada.']);
    const moved = {
      before: [ada],
      after: [],
      isFiltered: true,
      heard: { Ada: told('approved', 'approved') },
    };
    assert.deepEqual(news(moved), ['Marked as approved: Ada.']);
  });

  it('no arrival or removal is derived beyond the end of a page', () => {
    assert.deepEqual(news({ before: [ada], after: [ben], goesOn: 'after' }), ['New visit: Ben.']);
    assert.deepEqual(news({ before: [ada], after: [ben], goesOn: 'before' }), ['Deleted: Ada.']);
  });

  it('no arrival or removal is derived in a list filtered by state', () => {
    assert.deepEqual(news({ before: [ada], after: [ben], isFiltered: true }), []);
    const later = visit('Ada', 'asked_for', '2027-01-02T00:00:00Z');
    const changed = news({ before: [ada], after: [later], isFiltered: true });
    assert.deepEqual(changed, ['Changed: Ada.']);
  });

  it('a record is not called deleted if the caller lost its role', () => {
    const collection = { ...visits, roles: { member: { invited_by: ['owner'] } } };
    const [theirs, own] = [
      { ...ada, roles: ['member'] },
      { ...ben, roles: ['owner'] },
    ];
    const lost = { collection, before: [theirs], after: [] };
    assert.deepEqual(news({ ...lost, heard: { Ada: told('left') } }), ['You are no longer a member of Ada.']);
    assert.deepEqual(news(lost), ['Not there any more: Ada.']);
    assert.deepEqual(news({ ...lost, heard: { Ada: told('deleted') } }), ['Deleted: Ada.']);
    assert.deepEqual(news({ collection, before: [own], after: [] }), ['Deleted: Ben.']);
  });

  it('a record is called shared only if it came with a "joined" event', () => {
    const collection = { ...visits, roles: { member: { invited_by: ['owner'] } } };
    const heard = { Ada: told('joined') };
    assert.deepEqual(news({ collection, before: [], after: [ada], heard }), ['Shared with you: Ada.']);
    const approved = visit('Ada', 'approved');
    assert.deepEqual(news({ collection, before: [ada], after: [approved], heard }), [
      'Marked as approved: Ada.',
    ]);
  });
});
