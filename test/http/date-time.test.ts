import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { dateTime } from '../../src/base/date-time.ts';

it('dateTime() equals Date.toISOString() from 1970 to 9999', () => {
  const milliseconds = fc.oneof(
    fc.integer({ min: 0, max: 253_402_300_799_999 }),
    fc.integer({ min: 0, max: 2_932_896 }).map((day) => day * 86_400_000),
    fc.double({ min: 0, max: 253_402_300_799, noNaN: true }).map((seconds) => seconds * 1000),
  );
  fc.assert(
    fc.property(milliseconds, (time) => {
      assert.equal(dateTime(time), new Date(time).toISOString());
    }),
    { numRuns: 5_000 },
  );
});
