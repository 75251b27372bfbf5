import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeChanges } from '../../src/collections/check-against.ts';
import { checkCollections } from '../../src/collections/read-collections.ts';

const field = '{ type: string, maxLength: 40 }';
const schema = `schema: { properties: { text: ${field} } }`;
const good = {
  teams: `${schema}\naliases: { card: cards, name: called }`,
  cards: `schema: { required: [called], properties: { called: ${field} } }
parent: { field: team, collection: teams }
aliases: true`,
  tasks: `${schema}
parent: { field: team, collection: teams, owned_by: parent }
aliases: { card: cards, name: called }`,
  steps: `${schema}
parent: { field: task, collection: tasks }
aliases: { card: cards, name: called }`,
};

function read(changes: Partial<typeof good> & Record<string, string>) {
  const files = Object.entries({ ...good, ...changes });
  return checkCollections(files.map(([name, text]) => ({ name, path: `${name}.yaml`, text })));
}

const mistakesIn = (changes: Parameters<typeof read>[0]) =>
  read(changes).mistakes.map(({ path, line, sentence }) => `${path}:${line}: ${sentence}`);

describe('aliases with the cards of people', () => {
  it('are a collection below the one with the aliases, or below its root', () => {
    assert.deepEqual(mistakesIn({}), []);
    const [teams] = read({}).collections;
    assert.deepEqual(teams?.aliases, { card: 'cards', name: 'called' });
    assert.equal(teams?.isShared, true);
  });

  const wrong: Record<string, readonly [changes: Parameters<typeof read>[0], says: RegExp]> = {
    'a collection that is not there': [
      { teams: `${schema}\naliases: { card: crads, name: called }` },
      /^teams\.yaml:2: aliases\.card must be a collection below this one or its root; found "crads", did you mean "cards"\?$/,
    ],
    'a collection elsewhere': [
      { clubs: `${schema}\naliases: { card: cards, name: called }` },
      /^clubs\.yaml:2: aliases\.card must be a collection below .*; found "cards", there is none\.$/,
    ],
    'cards without aliases': [
      { cards: good.cards.replace('aliases: true', '') },
      /aliases\.card must have "aliases", and owners who are the creators; found "cards"/,
    ],
    'cards of the owner of the team': [
      { cards: good.cards.replace('collection: teams', 'collection: teams, owned_by: parent') },
      /aliases\.card must have "aliases", and owners who are the creators/,
    ],
    'a field that is not there': [
      { teams: `${schema}\naliases: { card: cards, name: title }` },
      /aliases\.name must be a required text of cards with a "maxLength" of at most 200; found "title"/,
    ],
    'an optional name': [
      { cards: good.cards.replace('required: [called], ', '') },
      /aliases\.name must be a required text of cards/,
    ],
    'a number as the name': [
      { cards: good.cards.replace(field, '{ type: integer }') },
      /aliases\.name must be a required text of cards/,
    ],
    'a long name': [
      { cards: good.cards.replace('40', '201') },
      /aliases\.name must be a required text of cards/,
    ],
    'no name': [{ teams: `${schema}\naliases: { card: cards }` }, /^teams\.yaml:2: aliases has no "name"/],
    'a text': [{ teams: `${schema}\naliases: cards` }, /^teams\.yaml:2: aliases must be true or false/],
  };
  for (const [name, [changes, says]] of Object.entries(wrong))
    it(`${name} is a mistake`, () => {
      const [mistake] = mistakesIn(changes);
      assert.match(String(mistake), says);
    });

  it('a mistake in the cards is not reported as one of the aliases, too', () => {
    const mistakes = mistakesIn({ cards: good.cards.replace('string', 'text') });
    assert.equal(mistakes.length, 1, mistakes.join('\n'));
  });

  it('are a change that "check --against" names', () => {
    const [named, plain] = [read({}), read({ teams: `${schema}\naliases: true` })].map(
      ({ collections }) => collections[0],
    );
    assert.ok(named && plain);
    assert.deepEqual(describeChanges(plain, named), ['cards added']);
  });
});
