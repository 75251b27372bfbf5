import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BurstMemory } from '../../src/auth/burst-memory.ts';
import { MovableClock } from '../support/movable-clock.ts';

function empty() {
  const clock = new MovableClock();
  return { clock, memory: new BurstMemory<number>(clock) };
}

it('knows a text for ten seconds at most, and the next one again', () => {
  const { clock, memory } = empty();
  for (const text of ['one', 'other']) {
    memory.add(text, 1);
    clock.advance(9_000);
    memory.add('late', 2);
    assert.deepEqual([memory.get(text), memory.get('late')], [1, 2]);
    clock.advance(1_100);
    assert.deepEqual([memory.get(text), memory.get('late')], [undefined, undefined]);
  }
});

it('knows no text but the very same', () => {
  const { memory } = empty();
  memory.add('Bearer a.b.c', 1);
  assert.deepEqual(
    ['Bearer a.b.d', 'bearer a.b.c', 'Bearer a.b.c '].map((text) => memory.get(text)),
    [undefined, undefined, undefined],
  );
});

it('keeps no more than 4,096 texts, and none of more than 2,048 characters', () => {
  const { memory } = empty();
  const long = 'x'.repeat(2_048);
  memory.add(long, 1);
  memory.add(`${long}x`, 1);
  assert.deepEqual([memory.get(long), memory.get(`${long}x`)], [1, undefined]);
  for (let number = 0; number < 5_000; number += 1) memory.add(`text ${number}`, number);
  const kept = Array.from({ length: 5_000 }, (_, number) => memory.get(`text ${number}`) === number);
  assert.equal(kept.filter(Boolean).length, 4_095);
});
