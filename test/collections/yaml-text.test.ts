import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readYaml } from '../../src/base/yaml/yaml-text.ts';
import { inLittleTime } from './little-time.ts';

/** A refused text with the expected line and reason. */
const refused: readonly (readonly [what: string, text: string, line: number, reason: RegExp])[] = [
  ['an alias', 'a: &x 1\nb: *x', 1, /Anchors .* and aliases .* are not supported/],
  ['a duplicate key', 'a: 1\nb: 2\na: 3', 3, /"a" is there twice/],
  ['a duplicate key in one line', 'a: { b: 1, b: 2 }', 1, /"b" is there twice/],
  ['a language-specific tag', 'a: 1\nb: !!js/function "x"', 2, /The tag ".*js\/function" is not supported/],
  ['an unknown tag', 'a: !secret x', 1, /The tag "!secret" is not supported/],
  ['a standard tag', 'a: !!str 5', 1, /The tag ".*:str" is not supported/],
  ['a tab', 'a:\n\tb: 1', 2, /indented with a tab\. Indent with spaces/],
  ['a second document', 'a: 1\n---\nb: 2', 2, /a second document after "---"/],
  ['a YAML version directive', '%YAML 1.1\n---\na: yes', 1, /"%YAML" directive is not supported/],
  ['an unclosed list', 'a: [1, 2', 1, /not valid YAML/],
  ['a key that is a list', '? [a]\n: 1', 1, /A key must be a text/],
  ['a key that is a number', 'a: 1\n5: 2', 2, /A key must be a text\. Put it in quotes/],
  ['infinity', 'a: .inf', 1, /A number must be finite/],
  [
    'a number that a double cannot hold',
    'a: 9007199254740993',
    1,
    /A number must be finite, and a whole number below 2\^53/,
  ],
  ['NUL', 'a: "\\0"', 1, /A text has a character that cannot be stored/],
  ['half a surrogate pair', 'a: "\\ud800"', 1, /A text has a character that cannot be stored/],
  ['__proto__', 'a: { __proto__: { polluted: true } }', 1, /"__proto__" is a reserved name/],
  ['constructor', 'a:\n  constructor: 1', 2, /"constructor" is a reserved name/],
  ['toString', 'toString: 1', 1, /"toString" is a reserved name/],
];

describe('readYaml', () => {
  it('returns plain data and the line of each pointer', () => {
    const { data, mistakes, lineOf } = readYaml('a: 1\nb:\n  - x\n  - { c: 2026-01-01, d: yes, "e/f": ~ }\n');
    assert.deepEqual(mistakes, []);
    assert.deepEqual(data, { a: 1, b: ['x', { c: '2026-01-01', d: 'yes', 'e/f': null }] });
    const places = { '': 1, '/a': 1, '/b': 2, '/b/0': 3, '/b/1': 4, '/b/1/e~1f': 4, '/b/0/nothing/here': 3 };
    for (const [pointer, line] of Object.entries(places)) assert.equal(lineOf(pointer), line, pointer);
  });

  for (const [what, text, line, reason] of refused) {
    it(`refuses ${what}`, () => {
      const { mistakes } = readYaml(text);
      assert.equal(mistakes[0]?.line, line, JSON.stringify(mistakes));
      assert.match(String(mistakes[0]?.sentence), reason);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    });
  }

  it('refuses an alias bomb quickly', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    const { mistakes } = inLittleTime(() => readYaml(lines.join('\n')));
    assert.match(String(mistakes[0]?.sentence), /Anchors/);
  });

  it('refuses deep nesting in brackets and indentation', () => {
    for (const text of [
      '['.repeat(10_000),
      `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      `${'['.repeat(60)}${']'.repeat(60)}`,
      '{a: '.repeat(10_000),
      Array.from({ length: 900 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      '- '.repeat(5000),
    ]) {
      const { mistakes } = inLittleTime(() => readYaml(text));
      assert.match(String(mistakes[0]?.sentence), /nested deeper than 48 levels/, text.slice(0, 20));
    }
  });

  it('reads 30,000 keys quickly', () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `k${index}:`).join('\n');
    assert.deepEqual(inLittleTime(() => readYaml(text)).mistakes, []);
  });
});
