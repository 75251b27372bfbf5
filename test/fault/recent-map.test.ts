import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentMap } from '../../src/base/recent-map.ts';

describe('a bounded map of recently used entries', () => {
  it('counts a replaced entry once and evicts no other for it', () => {
    const map = new RecentMap<string, number>(10);
    map.set('stays', 0);
    for (let count = 0; count < 100; count += 1) map.set('replaced', count);
    assert.equal(map.places, 2);
    assert.deepEqual([map.get('stays'), map.get('replaced')], [0, 99]);
  });

  it('evicts entries that were not used and keeps those that were', () => {
    const map = new RecentMap<number, number>(10);
    map.set(-1, 1);
    for (let count = 0; count < 100; count += 1) {
      map.set(count, count);
      assert.equal(map.get(-1), 1);
    }
    assert.ok(map.places <= 10);
    assert.equal(map.get(0), undefined);
  });
});
