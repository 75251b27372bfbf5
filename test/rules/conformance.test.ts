import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

/** The sections of the specification that state something about the service. */
const sections = ['1', '2.1', '2.2', '2.3', '4.1', '4.2', '4.4', '5.1', '5.2', '5.3', '7', '9'];
const rowForm = /^\| (\d(?:\.\d)?) \| (.+?) \| `([^`]+)` \| `([^`]+)` \|$/;

const lines = readFileSync('test/conformance.md', 'utf8').split('\n');
const rows = lines.flatMap((line, index) => {
  const [, section = '', statement = '', file = '', name = ''] = rowForm.exec(line) ?? [];
  return section === '' ? [] : [{ section, statement, file, name, where: `line ${index + 1}` }];
});

function testNames(file: string): ReadonlySet<string> {
  const calls = readFileSync(file, 'utf8').matchAll(/\b(?:it|test)\(\s*(?:'([^'\n]+)'|"([^"\n]+)"),/g);
  return new Set([...calls].map(([, single, double]) => String(single ?? double)));
}

describe('test/conformance.md', () => {
  it('every table row has the expected form', () => {
    const isTableRow = (line: string) => line.startsWith('|') && !/^\| (section|---) \|/.test(line);
    const unreadable = lines.filter((line) => isTableRow(line) && !rowForm.test(line));
    assert.deepEqual(unreadable, []);
  });

  it('every section with statements has a row', () => {
    const covered = new Set(rows.map(({ section }) => section));
    const missing = sections.filter((section) => !covered.has(section));
    assert.deepEqual(missing, []);
  });

  it('every row is under the heading of its section', () => {
    let heading = '';
    for (const line of lines) {
      heading = /^## (\d)\. /.exec(line)?.[1] ?? heading;
      const section = rowForm.exec(line)?.[1];
      if (section !== undefined) assert.equal(section[0], heading, line);
    }
  });

  it('every row names a test that exists', () => {
    const missing = rows
      .filter(({ file, name }) => !existsSync(file) || !testNames(file).has(name))
      .map(({ where, file, name }) => `${where}: ${file} has no test "${name}"`);
    assert.deepEqual(missing, []);
  });

  it('no statement occurs twice', () => {
    const statements = rows.map(({ section, statement }) => `${section} ${statement}`);
    assert.equal(new Set(statements).size, statements.length);
  });
});
