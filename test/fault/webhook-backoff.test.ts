import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { healthAfter, retryAt, retryDelaysMs } from '../../src/events/webhooks/backoff.ts';

const now = Date.UTC(2026, 0, 2);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const well = { failingSince: null, failures: 0, pausedUntil: null };
const ok = { ok: true } as const;
const bad = { ok: false, retryAfterMs: null } as const;
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('the retry schedule of webhooks', () => {
  it('[E145] is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, with a tenth of jitter, and then ends', () => {
    const expected = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
    assert.deepEqual([...retryDelaysMs], expected);
    for (const [index, delay] of expected.entries()) {
      const at = (random: number) => (retryAt(index + 1, now, null, () => random) ?? 0) - now;
      assert.deepEqual([at(0), at(0.5), at(1)], [delay * 0.9, delay, Math.round(delay * 1.1)]);
    }
    assert.equal(retryAt(8, now, null), null);
    assert.equal(retryAt(8, now, 1_000), null);
  });

  it('[E145] honours Retry-After up to a day', () => {
    const at = (retryAfterMs: number) => (retryAt(1, now, retryAfterMs, () => 0.5) ?? 0) - now;
    assert.deepEqual([at(0), at(1_000), at(90_000), at(10 * day)], [5_000, 5_000, 90_000, day]);
  });
});

describe('the circuit breaker of a receiver', () => {
  it('stays closed while deliveries succeed now and then', () => {
    const mixed = [...times(4, bad), ok, ...times(4, bad), ok];
    assert.deepEqual(healthAfter(well, mixed, now), { health: well, retryFailedSince: null });
  });

  it('opens after five failures in a row, with backoff up to five minutes', () => {
    const after = (failures: number) => healthAfter(well, times(failures, bad), now).health;
    assert.deepEqual(after(4), { failingSince: now, failures: 4, pausedUntil: null });
    assert.deepEqual(after(5), {
      failingSince: now,
      failures: 5,
      pausedUntil: now + 5_000,
    });
    assert.equal(after(6).pausedUntil, now + 10_000);
    assert.equal(after(40).pausedUntil, now + 5 * minute);
    const later = healthAfter(after(5), [bad], now + hour).health;
    assert.deepEqual([later.failingSince, later.failures], [now, 6]);
  });

  it('closes after one success, and failed deliveries are due again', () => {
    const { health: open } = healthAfter(well, times(9, bad), now);
    assert.deepEqual(healthAfter(open, [ok], now + day), { health: well, retryFailedSince: now });
  });

  it('[E145] pauses for Retry-After, even when another delivery succeeds', () => {
    const waits = { ok: false, retryAfterMs: 120_000 } as const;
    const { health } = healthAfter(well, [waits, ok], now);
    assert.deepEqual(health, { ...well, pausedUntil: now + 120_000 });
    assert.equal(
      healthAfter(well, [{ ok: false, retryAfterMs: 9 * day }], now).health.pausedUntil,
      now + day,
    );
  });
});
