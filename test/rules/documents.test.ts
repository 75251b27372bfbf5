import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { alertsDocument, operationsDocument } from '../../docs/alerts-document.ts';
import { configDocument } from '../../docs/config-document.ts';
import { errorsDocument } from '../../docs/errors-document.ts';
import { constantOf, fixedLimits } from '../../docs/limits-document.ts';
import { overviewTypes } from '../../docs/overview-types.ts';
import { maxTokenBytes } from '../../src/auth/jws.ts';
import { catalogue } from '../../src/base/errors.ts';
import { maxJsonDepth } from '../../src/base/strict-json.ts';
import { parseNewcomerRate, parsePeriod, parseRate } from '../../src/collections/limits.ts';
import { environmentName, settings } from '../../src/config/settings.ts';
import { defaultPage, largestPage } from '../../src/records/requests/list-query.ts';
import { idempotencyMs } from '../../src/records/rules/create.ts';

const codes = Object.keys(catalogue);
const sources = new Map(
  globSync('src/**/*.ts')
    .filter((file) => !file.endsWith('errors.ts'))
    .map((file) => [file, readFileSync(file, 'utf8')]),
);
const allSources = [...sources.values()].join('\n');

describe('the files that "npm run docs" writes', () => {
  for (const [file, made] of [
    ['docs/config.md', configDocument],
    ['docs/errors.md', errorsDocument],
    ['docs/operations.md', operationsDocument],
    ['deploy/prometheus/alerts.yaml', alertsDocument],
    ['web/src/api/overview.ts', overviewTypes],
  ] as const)
    it(`${file} equals the output`, () => assert.equal(readFileSync(file, 'utf8'), made()));

  for (const [what, text, row, expected] of [
    ['setting', configDocument(), /^\| `([A-Z_]+)` \|/gm, Object.keys(settings).map(environmentName)],
    ['error', errorsDocument(), /^\| `([a-z_]+)` \|/gm, codes],
  ] as const)
    it(`there is one row for every ${what}`, () => {
      const rows = [...text.matchAll(row)].map(([, name]) => name);
      assert.deepEqual(rows.sort(), expected.toSorted());
    });
});

describe('the catalogue of errors', () => {
  it('every thrown code is in the catalogue', () => {
    const thrown = [...allSources.matchAll(/new Refusal\(\s*'([^']+)'/g)].map(([, code]) => String(code));
    assert.ok(thrown.length > 20);
    for (const code of thrown) assert.ok(codes.includes(code), code);
  });

  it('every code in the catalogue is used', () => {
    const unused = codes.filter((code) => !allSources.includes(`'${code}'`));
    assert.deepEqual(unused, []);
  });

  it('every code has a sentence and a status from 400 to 599', () => {
    for (const [code, { status, sentence }] of Object.entries(catalogue)) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/);
      assert.match(sentence, /^[A-Z].*\.$/, code);
      assert.ok(status >= 400 && status <= 599, code);
    }
  });
});

const configText = readFileSync('docs/config.md', 'utf8');

describe('the limits in docs/config.md', () => {
  it('list every limit that a collection can declare', () => {
    const rows = [...configText.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(rows, ['per_user', 'bytes', 'writes', 'newcomer', 'memberships', 'expire']);
  });

  it('say the same about machine clients as docs/collections.md', () => {
    assert.match(configText, /Machine clients are\s+bound by `bytes` and `expire` only\./);
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
    assert.match(configText, /`expire` \| none \| 1s to 3650d \|/);
    assert.match(configText, /`writes` \| `60\/min` \| 1 to 1000000 a second, minute, hour or day \|/);
  });

  it('the generator of docs/config.md reads fixed limits with their real values', () => {
    const read = new Map(fixedLimits.map(({ file, constant }) => [constant, constantOf(file, constant)]));
    const known = { maxTokenBytes, maxJsonDepth, defaultPage, largestPage, idempotencyMs };
    for (const [name, value] of Object.entries(known)) assert.equal(read.get(name), value, name);
  });
});
