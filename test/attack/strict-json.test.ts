import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Refusal } from '../../src/base/errors.ts';
import {
  maxJsonMembers,
  maxJsonValues,
  maxPlainJsonDepth,
  readPlainJson,
  readStrictJson,
} from '../../src/base/strict-json.ts';
import { maxMarksInRow } from '../../src/base/unicode.ts';

const read = (text: string) => readStrictJson(Buffer.from(text));
const isRead = (text: string) => assert.deepEqual(read(text), JSON.parse(text), text.slice(0, 60));
const isRefused = (text: string, detail?: RegExp) =>
  assert.throws(
    () => read(text),
    (error: Refusal) => {
      assert.equal(error.code, 'json_invalid');
      if (detail) assert.match(String(error.options.members?.detail), detail);
      return true;
    },
    text.slice(0, 60),
  );

it('[D120] a number is kept exactly or refused, and what is written is read again', () => {
  for (const text of ['9007199254740991', '-9007199254740991', '0.1', '1.5e300', '1e20', '-0', '5e-324']) {
    const kept = read(text);
    assert.deepEqual(read(JSON.stringify(kept)), JSON.parse(JSON.stringify(kept)), text);
  }
  for (const text of ['9007199254740993', '12345678901234567890', '1e400', '-1e400', '1e-400', '0.0e-9e'])
    isRefused(text);
});

it('[D117] sixty-four levels of nesting are read and sixty-five refused', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.ok(Array.isArray(read(nested(64))));
  for (const levels of [65, 1_000, 30_000]) isRefused(nested(levels));
});

it('[D118] an unterminated string is refused where it begins, without repeated searches', () => {
  for (const text of [`"${'\\"'.repeat(100)}`, `{"a":"${'b\\"'.repeat(100)}`, '"'.repeat(101)])
    assert.throws(() => read(text), { options: { detail: 'a string without an end' } }, text);
});

it('[D120] [D121] duplicate names and names such as __proto__ are refused', () => {
  for (const text of ['{"a":1,"a":2}', '{"a":{"b":1,"\\u0062":2}}', '{"\u00e9":1,"e\u0301":2}'])
    isRefused(text);
  for (const name of ['__proto__', 'constructor', 'prototype']) isRefused(`{"a":[{"${name}":1}]}`);
  assert.deepEqual(read('{"a":{"b":1},"c":{"b":2}}'), { a: { b: 1 }, c: { b: 2 } });
});

const marks = (count: number, pair = '\u0301\u0323') =>
  pair.repeat(count).slice(0, count * (pair.length / 2));
const named = (name: string) => JSON.stringify({ list: [{ [name]: 1 }] });
const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":1`).join()}}`;
const values = (count: number, value: string) => `[${Array(count).fill(value).join()}]`;

it('a body is read to the limit of what its parts may cost, and refused past it', () => {
  // Normalisation takes quadratic time for a run of marks.
  for (const pair of ['\u0301\u0323', '\uff9e\uff9f', '\u{1d165}\u{1d16d}', '\u064b\u0650']) {
    isRead(named(`a${marks(maxMarksInRow, pair)}`));
    isRead(named(`a${marks(maxMarksInRow, pair)}b${marks(maxMarksInRow, pair)}`));
    for (const before of ['', 'a', '\u{10400}', 'a\u0301b'])
      for (const count of [maxMarksInRow + 1, 10_000])
        isRefused(named(`${before}${marks(count, pair)}`), /^Too many combining marks .* at most 30\.$/);
  }
  for (const name of [
    ...['Zu\u0308rich', 'Tie\u0302\u0301ng Vie\u0323\u0302t', '\u1112\u1161\u11ab'],
    ...['\u{1f469}\u200d\u{1f4bb}', '\uff76\uff9e'],
  ])
    isRead(named(name));
  isRead(members(maxJsonMembers));
  isRefused(members(maxJsonMembers + 1), /^Too many members .* at most 10000\.$/);
  for (const value of ['1', '""', 'null']) {
    isRead(values(maxJsonValues - 1, value));
    isRefused(values(maxJsonValues, value), /^Too many values .* at most 65536\.$/);
  }
  isRefused(values(maxJsonValues / 2, '[]'), /^Too many values/);
});

it('a body of POST /token is bounded in the same way, with a thousand levels', () => {
  const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
  assert.ok(readPlainJson(nested(maxPlainJsonDepth)));
  for (const levels of [maxPlainJsonDepth + 1, 30_000])
    assert.throws(() => readPlainJson(nested(levels)), { code: 'json_invalid' });
  assert.throws(() => readPlainJson(Buffer.from(named(marks(31)))), { code: 'json_invalid' });
});
