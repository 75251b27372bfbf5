import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { constantOf, fixedLimits } from '../../docs/limits-document.ts';
import { maxTokenBytes } from '../../src/auth/jws.ts';
import { maxJsonDepth } from '../../src/base/strict-json.ts';
import { parseNewcomerRate, parsePeriod, parseRate } from '../../src/collections/limits.ts';
import { defaultPage, largestPage } from '../../src/records/requests/list-query.ts';
import { idempotencyMs } from '../../src/records/rules/create.ts';

const text = readFileSync('docs/config.md', 'utf8');

describe('the limits in docs/config.md', () => {
  it('list every limit that a collection can declare', () => {
    const rows = [...text.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(rows, ['per_user', 'bytes', 'writes', 'newcomer', 'memberships', 'expire']);
  });

  it('say the same about machine clients as docs/collections.md', () => {
    assert.match(text, /Machine clients are\s+bound by `bytes` and `expire` only\./);
    assert.match(readFileSync('docs/collections.md', 'utf8'), /exempt from all but `bytes` and `expire`\./);
  });

  it('state the accepted ranges of rates and durations', () => {
    for (const unit of ['s', 'min', 'h', 'd']) {
      assert.notEqual(parseRate(`1/${unit}`), null);
      assert.notEqual(parseRate(`1000000/${unit}`), null);
      assert.equal(parseRate(`1000001/${unit}`), null);
      assert.equal(parseRate(`0/${unit}`), null);
    }
    for (const duration of ['1s', '3650d']) assert.notEqual(parsePeriod(duration), null, duration);
    for (const duration of ['0s', '3651d']) assert.equal(parsePeriod(duration), null, duration);
    assert.notEqual(parseNewcomerRate('1000000/s for 3650d'), null);
    assert.match(text, /`expire` \| none \| 1s to 3650d \|/);
    assert.match(text, /`writes` \| `60\/min` \| 1 to 1000000 a second, minute, hour or day \|/);
  });

  it('the generator of docs/config.md reads fixed limits with their real values', () => {
    const read = new Map(fixedLimits.map(({ file, constant }) => [constant, constantOf(file, constant)]));
    const known = { maxTokenBytes, maxJsonDepth, defaultPage, largestPage, idempotencyMs };
    for (const [name, value] of Object.entries(known)) assert.equal(read.get(name), value, name);
  });
});
