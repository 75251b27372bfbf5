import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { durationText, parseDuration } from '../../src/base/duration.ts';
import { parseNewcomerRate, parsePeriod, parseRate, rateText } from '../../src/collections/limits.ts';

const day = 86_400_000;

describe('durations', () => {
  it('a duration is a number and a unit', () => {
    const short = { '0s': 0, '30s': 30_000, '15m': 900_000, '15min': 900_000 };
    const long = { '12h': 43_200_000, '90d': 90 * day, '3650d': 3650 * day };
    for (const [text, milliseconds] of Object.entries({ ...short, ...long }))
      assert.equal(parseDuration(text), milliseconds, text);
  });

  it('any other text is refused as a duration', () => {
    const wrong = '|-1d|1.5d|1w|1 d| 1d|1d |d|1D|3651d|9999999999s|1e3s|1day|1ms|1constructor'.split('|');
    for (const text of wrong) assert.equal(parseDuration(text), null, text);
  });

  it('a period must not be zero', () => {
    assert.equal(parsePeriod('1s'), 1000);
    assert.equal(parsePeriod('0d'), null);
  });

  it('durationText and parseDuration are inverse', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3650 }),
        fc.constantFrom('s', 'm', 'min', 'h', 'd'),
        (count, unit) => {
          const milliseconds = parseDuration(`${count}${unit}`);
          assert.equal(parseDuration(durationText(milliseconds ?? 0)), milliseconds);
        },
      ),
    );
    assert.equal(durationText(90 * day), '90d');
    assert.equal(durationText(36 * 3_600_000), '36h');
  });
});

describe('rates', () => {
  it('a rate is a number per unit, with short and long unit names', () => {
    const windows = { s: 1000, second: 1000, m: 60_000, min: 60_000, minute: 60_000 };
    const longer = { h: 3_600_000, hour: 3_600_000, d: day, day };
    for (const [unit, windowMs] of Object.entries({ ...windows, ...longer }))
      assert.deepEqual(parseRate(`30/${unit}`), { count: 30, windowMs }, unit);
  });

  it('any other text is refused as a rate', () => {
    for (const text of '|0/min|/min|30|30/|30/week|30 / min|1.5/s|-1/s|1000001/d|5/2min'.split('|')) {
      assert.equal(parseRate(text), null, text);
    }
  });

  it('a newcomer rate needs a rate and a period', () => {
    assert.deepEqual(parseNewcomerRate('5/day for 7d'), { count: 5, windowMs: day, forMs: 7 * day });
    for (const end of ['', ' for', ' for a week', ' for 7d for 7d', '  for 7d'])
      assert.equal(parseNewcomerRate(`5/day${end}`), null, end);
    assert.equal(parseNewcomerRate('for 7d'), null);
  });

  it('rateText uses the short form', () => {
    assert.equal(rateText({ count: 30, windowMs: 60_000 }), '30/min');
    assert.equal(rateText({ count: 5, windowMs: day }), '5/d');
  });
});
