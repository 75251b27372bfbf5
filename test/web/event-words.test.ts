import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Happening, sentenceOf, sentenceOfMany } from '../../web/src/events/sentence.ts';
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
