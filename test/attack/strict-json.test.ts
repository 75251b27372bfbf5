import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readStrictJson } from '../../src/base/strict-json.ts';

const read = (text: string) => readStrictJson(Buffer.from(text));
const isRefused = (text: string) => assert.throws(() => read(text), { code: 'json_invalid' }, text);

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
