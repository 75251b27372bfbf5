import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { normaliseDateTime, normaliseFields } from '../../src/collections/normalise.ts';
import { declared } from '../support/services/declared.ts';

const times = declared(`
schema:
  required: [slot, seats]
  properties:
    slot: { type: string, format: date-time }
    other: { type: string, format: date-time }
    seats: { type: integer }
index: [slot, seats]`);

describe('normaliseDateTime', () => {
  it('returns UTC with milliseconds', () => {
    const normal = {
      '2026-01-01T08:00:00Z': '2026-01-01T08:00:00.000Z',
      '2026-01-01t08:00:00z': '2026-01-01T08:00:00.000Z',
      '2026-01-01T01:00:00.5+02:00': '2025-12-31T23:00:00.500Z',
      '2026-01-01T08:00:00.123456789Z': '2026-01-01T08:00:00.123Z',
      '2024-02-29T23:30:00-01:00': '2024-03-01T00:30:00.000Z',
    };
    for (const [text, expected] of Object.entries(normal)) assert.equal(normaliseDateTime(text), expected);
  });

  it('returns null unless the text is an exact moment in a four-digit year', () => {
    for (const text of [
      ...['', 'now', '2026-01-01', '2026-01-01T08:00:00', '2026-02-29T08:00:00Z', '2026-01-01T08:00Z'],
      ...['9999-12-31T23:59:59-01:00', '+02026-01-01T08:00:00Z', '2026-01-01T08:00:00Z\n'],
    ])
      assert.equal(normaliseDateTime(text), null, text);
  });

  it('keeps chronological order as text order', () => {
    const moment = fc.tuple(
      fc.date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
      fc.integer({ min: -1439, max: 1439 }),
    );
    const written = ([date, offset]: [Date, number]) => {
      const two = (number: number) => String(number).padStart(2, '0');
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const minutes = Math.abs(offset);
      return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    };
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        const [a, b] = [normaliseDateTime(written(one)) ?? '', normaliseDateTime(written(other)) ?? ''];
        assert.equal(a, one[0].toISOString());
        const order = Math.sign(one[0].getTime() - other[0].getTime());
        assert.equal(Math.sign(Number(a > b) - Number(a < b)), order);
      }),
    );
  });
});

describe('normaliseFields', () => {
  it('changes only indexed date-times', () => {
    const fields = { seats: 2, other: '2026-01-01T08:00:00+01:00', slot: '2026-01-01T08:00:00+01:00' };
    const kept = normaliseFields(times, fields);
    assert.deepEqual(kept, { ...fields, slot: '2026-01-01T07:00:00.000Z' });
    assert.deepEqual(Object.keys(kept), Object.keys(fields), 'in their order');
    assert.deepEqual(normaliseFields(times, kept), kept, 'once is enough');
    assert.deepEqual(times.checkFields(kept), []);
  });

  it('returns the same object without an indexed date-time', () => {
    const plain = declared('schema: {properties: {a: {type: string, format: date-time}}}');
    const fields = { a: '2026-01-01T08:00:00+01:00' };
    assert.equal(normaliseFields(plain, fields), fields);
  });
});
