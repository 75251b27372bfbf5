import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Collection } from '../../web/src/api/types.ts';
import { callPeople, personName, personNames } from '../../web/src/people/person.ts';
import { withChildren } from '../../web/src/records/family.ts';
import { described } from './described.ts';
import './english.ts';

const [ada, bob] = ['per_AAxxxxxxxxxxxxxxxxxxxx', 'per_AByyyyyyyyyyyyyyyyyyyy'] as const;

describe('the names of people', () => {
  afterEach(() => callPeople(new Map()));

  it('are those on their cards, else two words', () => {
    const words = personName(bob);
    assert.match(words, /^\w+ \w+$/);
    callPeople(new Map([[ada, 'Ada']]));
    assert.deepEqual(
      [...personNames([ada, bob])],
      [
        [ada, 'Ada'],
        [bob, words],
      ],
    );
  });

  it('have a part of the alias where two people call themselves the same', () => {
    callPeople(
      new Map([
        [ada, 'Ada'],
        [bob, 'Ada'],
      ]),
    );
    assert.deepEqual([...personNames([ada, bob]).values()], ['Ada AAxx', 'Ada AByy']);
  });
});

describe('the cards of a collection', () => {
  const under = (name: string, collection: string, field: string): Collection => ({
    ...described(name, name),
    aliases: true,
    parent: { field, collection, owned_by: 'creator', on_delete: 'restrict' },
  });
  const cards = { collection: 'cards', name: 'called', above: 'teams', field: 'team' };

  it('are those that it names, else those of the collection above', () => {
    const found = withChildren([
      { ...described('teams', 'Teams'), aliases: true, cards: { collection: 'cards', name: 'called' } },
      under('cards', 'teams', 'team'),
      under('tasks', 'teams', 'team'),
      under('steps', 'tasks', 'task'),
      { ...described('clubs', 'Clubs'), aliases: true },
    ]);
    const byName = Object.fromEntries(found.map((one) => [one.name, one.namedBy]));
    assert.deepEqual(byName, { teams: cards, cards, tasks: cards, steps: cards, clubs: undefined });
  });
});
