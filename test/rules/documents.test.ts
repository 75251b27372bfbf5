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

describe('docs/config.md', () => {
  it('the file equals the output of "npm run docs" from the table of settings', () => {
    assert.equal(readFileSync('docs/config.md', 'utf8'), configDocument());
  });

  it('there is one row for every setting', () => {
    const rows = [...configDocument().matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(rows.sort(), Object.keys(settings).map(environmentName).sort());
  });
});

describe('docs/errors.md', () => {
  it('the file equals the output of "npm run docs" from the catalogue of errors', () => {
    assert.equal(readFileSync('docs/errors.md', 'utf8'), errorsDocument());
  });

  it('there is one row for every code', () => {
    const rows = [...errorsDocument().matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
    assert.deepEqual(rows.sort(), codes.toSorted());
  });
});

describe('the alerts', () => {
  it('the rules of Prometheus and docs/operations.md equal the output of "npm run docs"', () => {
    assert.equal(readFileSync('deploy/prometheus/alerts.yaml', 'utf8'), alertsDocument());
    assert.equal(readFileSync('docs/operations.md', 'utf8'), operationsDocument());
  });
});

describe('web/src/api/overview.ts', () => {
  it('the file equals the output of "npm run docs" from the schema of declarations', () => {
    assert.equal(readFileSync('web/src/api/overview.ts', 'utf8'), overviewTypes());
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
