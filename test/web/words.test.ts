import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { formsOf } from '../../web/src/parts/language.ts';
import { loadWords, t, type Words } from '../../web/src/parts/words.ts';

const languages = globSync('web/src/words/*.ts').map((path) => basename(path, '.ts'));
const english = await wordsIn('en');

async function wordsIn(language: string): Promise<Words> {
  const { words } = await import(`../../web/src/words/${language}.ts`);
  return words(formsOf(language));
}

/** The keys of all sentences, and the sentences that are no function. */
function sentences(words: object, path = ''): [key: string, sentence: unknown][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? sentences(value, `${path}${key}.`) : [[path + key, value]],
  );
}

for (const language of languages)
  describe(`the words of the language "${language}"`, async () => {
    const words = await wordsIn(language);

    it('has every sentence of English, none of them empty', () => {
      const keys = (all: Words) => sentences(all).map(([key]) => key);
      assert.deepEqual(keys(words).toSorted(), keys(english).toSorted());
      const empty = sentences(words).filter(([key, text]) => text === '' && key !== 'frame.live.off');
      assert.deepEqual(empty, [], 'Write the sentences of these keys.');
    });

    it('writes numbers with the right plural', () => {
      for (const say of [
        (n: number) => words.list.changes(n, 'X'),
        words.form.errors,
        words.invite.days,
        words.exporting.done,
      ]) {
        const [none, one, two] = [0, 1, 2].map((count) => say(count).replace(/\d+/, '#'));
        assert.equal(none, two);
        assert.notEqual(one, two);
      }
    });

    it('has 4,096 different names for people', () => {
      const digits = [...Array(64).keys()];
      const names = new Set(digits.flatMap((one) => digits.map((other) => words.person.name(one, other))));
      assert.equal(names.size, 4096);
      for (const name of names) assert.match(name, /^\p{Lu}\p{L}+ \p{L}+$/u);
    });
  });

describe('the language of the pages', () => {
  const chosen = async (...asked: string[]) => {
    await loadWords(asked);
    return t.language;
  };

  it('is the first of the browser that there are words in, and English without one', async () => {
    assert.equal(await chosen('de-AT', 'en'), 'de');
    assert.equal(await chosen('tlh', 'de', 'en'), 'de');
    assert.equal(await chosen('en-GB', 'de'), 'en');
    assert.equal(await chosen('tlh'), 'en');
    assert.equal(await chosen(), 'en');
  });
});

describe('a German name of a person', () => {
  it('agrees in gender', async () => {
    const { person } = await wordsIn('de');
    const nouns = { Reiher: 'Stiller', Eule: 'Stille', Moos: 'Stilles' };
    const names = [...Array(64).keys()].map((being) => person.name(0, being));
    for (const [noun, quality] of Object.entries(nouns)) assert.ok(names.includes(`${quality} ${noun}`));
  });
});
