import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { alertsDocument, operationsDocument } from '../../docs/alerts-document.ts';
import { configDocument } from '../../docs/config-document.ts';
import { errorsDocument } from '../../docs/errors-document.ts';
import { overviewTypes } from '../../docs/overview-types.ts';
import { catalogue } from '../../src/base/errors.ts';
import { environmentName, settings } from '../../src/config/settings.ts';

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
