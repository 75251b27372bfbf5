import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { action, all, one } from '../../src/records/describe/in-words.ts';

describe('the records of a collection in words', () => {
  const plurals = {
    Bookings: 'a booking',
    Entries: 'an entry',
    Addresses: 'an address',
    Boxes: 'a box',
    Matches: 'a match',
    Houses: 'a house',
    Movies: 'a movie',
    'Guest books': 'a guest book',
    'API keys': 'an API key',
    notes: 'a note',
  };
  for (const [title, words] of Object.entries(plurals))
    it(`${title}: ${words}`, () => assert.equal(one(title), words));

  it('what is no plural that anybody could tell stays as it is written', () => {
    for (const title of ['News', 'Series', 'Status', 'Stuff', 'Press', 'Bücher', 'Things & more', 'x', '本'])
      assert.equal(one(title), `one of ${title}`);
  });

  it('all of them are the title, as it stands in a sentence', () => {
    assert.deepEqual(['Bookings', 'API keys', 'Things & more'].map(all), [
      'bookings',
      'API keys',
      'Things & more',
    ]);
  });

  it('an action is a verb with the record, or is told apart from it', () => {
    assert.equal(action('submit', 'Bookings'), 'Submit a booking');
    assert.equal(action('hand_out', 'Lendings'), 'Hand out a lending');
    assert.equal(action('mark-as-paid', 'Bills'), 'Mark as paid: a bill');
    assert.equal(action('hide', 'News'), 'Hide one of News');
  });
});
