import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold, matcher, readWords } from '../../src/records/requests/search-words.ts';
import { oddTexts } from '../support/databases/records.ts';

const finds = (query: string, record: object) =>
  matcher(readWords(query) ?? assert.fail(query), ['title', 'labels'])(JSON.stringify(record));

describe('search words', () => {
  it('are 1 to 4 words of 2 to 40 letters and digits; other characters separate them', () => {
    const read: Readonly<Record<string, readonly string[] | null>> = {
      milk: ['milk'],
      ' Milk  BREAD ': ['milk', 'bread'],
      'milk & bread': ['milk', 'bread'],
      '"milk"': ['milk'],
      'mi%lk_*': ['mi', 'lk'],
      "it's": ['it', 's'],
      'a-b': ['a', 'b'],
      '50%': ['50'],
      'aa aa': ['aa'],
      'aa bb cc dd': ['aa', 'bb', 'cc', 'dd'],
      'aa bb cc dd ee': null,
      'plan b': null,
      ['x'.repeat(40)]: ['x'.repeat(40)],
      ['x'.repeat(41)]: null,
      ['x'.repeat(10_000)]: null,
      [`xx${' '.repeat(998)}`]: ['xx'],
      [`xx${' '.repeat(999)}`]: null,
      'aa-bb-cc-dd ee-ff-gg-hh': ['aa', 'bb', 'cc', 'dd', 'ee', 'ff', 'gg', 'hh'],
      'aa-bb-cc-dd ee-ff-gg-hh ii': null,
      'aa-bb-aa-bb-aa-bb-aa-bb-aa-bb': ['aa', 'bb'],
      [`${[...'abcdefghijklmnopqrstuvwxyz0123456789'].join('-')} milk`]: null,
      ['x '.repeat(5_000)]: null,
      ['a\u0301'.repeat(40)]: ['a'.repeat(40)],
      [`a${'\u0301'.repeat(10_000)}`]: null,
      '\u0301\u0301': null,
      水: null,
      水道: ['水道'],
      '\u{1f600}\u{1f600}': null,
    };
    for (const [text, words] of Object.entries(read))
      assert.deepEqual(readWords(text), words, text.slice(0, 60));
    for (const text of ['', ' ', 'a', '%', '%%', '_', '*', '"', "'", '\\', '\0', '..'])
      assert.equal(readWords(text), null, text);
  });

  it('ignore case, accents, composition and width', () => {
    const alike = [
      ['Straße', 'STRASSE', 'straẞe'],
      ['Café', 'CAFE\u0301', 'cafe'],
      ['ΟΔΟΣ', 'οδός', 'οδοσ'],
      ['Ёлка', 'елка'],
      ['Işık', 'IŞIK', 'isik', 'İSIK'],
      ['ﬁsh', 'Fish'],
      ['ＡＢＣ', 'abc', '𝐀𝐁𝐂'],
      ['한국', '\u1112\u1161\u11ab\u1100\u116e\u11a8'],
    ];
    for (const texts of alike)
      for (const one of texts)
        for (const other of texts) assert.ok(finds(one, { title: `x ${other}y` }), `${one} ${other}`);
    for (const text of oddTexts) assert.equal(fold(fold(text)), fold(text), text.slice(0, 40));
  });

  it('leave out the combining marks past thirty in a row, which would take quadratic time to sort', () => {
    for (const pair of ['\u064b\u0650', '\uff9e\uff9f', '\u3099\u0323'])
      for (const count of [16, 6_000])
        assert.equal(fold(`a${pair.repeat(count)}b`), fold(`a${pair.repeat(15)}b`), pair);
    assert.ok(finds('milk', { title: `x${'\u064b\u0650'.repeat(4_000)} milk` }));
  });

  it('are looked for in a bounded part of a record, whatever its letters become', () => {
    // U+FDFA is eighteen letters and blanks, folded.
    assert.equal(fold('\ufdfa'.repeat(10_000)).length, 65_536);
    assert.ok(finds('صلى الله', { title: '\ufdfa'.repeat(5_000) }));
    assert.ok(finds('milk', { title: `${'x '.repeat(32_000)}milk` }));
    assert.ok(!finds('milk', { title: `${'x '.repeat(33_000)}milk` }));
  });

  it('that begin one another are found together', () => {
    assert.ok(finds('mi milk', { title: 'milk' }));
    assert.ok(!finds('mi milk', { title: 'mi' }));
    assert.ok(finds('ab abc abd', { title: 'abd abc' }));
    for (const word of ['Việt', '한국', 'كتاب', 'ｶﾞｷﾞ', '\u{10400}\u{10401}']) {
      assert.ok(finds(`${word} milk`, { title: `milk ${word}x` }), word);
      assert.ok(!finds(word, { title: `x${word}` }), word);
    }
  });

  it('each match the beginning of a word in one of the searched fields', () => {
    for (const before of ['', ' ', '\n', '\t', '"', '\\', '-', '%', '(', '\u2028', '\u{1f600}', '。'])
      assert.ok(finds('mil', { title: `${before}Milk` }), JSON.stringify(before));
    for (const before of ['n', '1', 'é', '\u{10400}', '\u0915', '水'])
      assert.ok(!finds('mil', { title: `${before}milk` }), before);
    assert.ok(finds('bread mi', { title: 'milk', labels: ['x', 'Bread'] }));
    assert.ok(finds('e-mail', { title: 'an e-mail' }));
    assert.ok(!finds('milk', { title: 'bread', text: 'milk', milk: 'bread' }), 'only in these fields');
    assert.ok(!finds('milk bread', { title: 'milk' }), 'all of them');
    assert.ok(!finds('milk', { labels: ['mi', 'lk'] }));
    for (const value of [null, 5, true, {}, [null, 5, ['milk']], { milk: 'milk' }])
      assert.ok(!finds('milk', { title: value }));
  });
});
