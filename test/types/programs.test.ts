import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { typesDocument } from '../../src/records/types/types-document.ts';
import { declared } from '../collections/declared.ts';
import { newDirectory } from '../support/outcome.ts';
import { declarations } from './declarations.ts';
import { api, compilerOptions, type Diagnostic, diagnosticsIn, expectedIn, imports } from './programs.ts';
import { rightPrograms } from './right-programs.ts';
import { wrongPrograms } from './wrong-programs.ts';

const client = resolve('packages/client/src/index.ts');

/** The imports stand on the first line, which the text of each program leaves empty. */
const fileOf = (program: string) => `${imports}${program}\n`;

describe('programs against the types of four collections', () => {
  const right = Object.entries(rightPrograms).map(([name, text], index) => ({
    name,
    text,
    file: `right${index}.ts`,
  }));
  const wrong = Object.entries(wrongPrograms).map(([name, text], index) => ({
    name,
    text,
    file: `wrong${index}.ts`,
  }));
  let found: readonly Diagnostic[] = [];
  before(() => {
    const folder = newDirectory();
    const collections = Object.entries(declarations).map(([name, text]) => declared(text, name));
    const write = (file: string, text: string) => writeFileSync(`${folder}/${file}`, text);
    write('collections.d.ts', typesDocument(collections));
    write('api.ts', api);
    for (const { file, text } of [...right, ...wrong]) write(file, fileOf(text));
    write('tsconfig.json', JSON.stringify({ compilerOptions: compilerOptions(client) }));
    const command = [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'];
    const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
    assert.equal(stderr, '');
    found = diagnosticsIn(stdout);
    assert.equal(found.length, stdout.match(/error TS\d+/g)?.length, stdout);
  });
  const errorsOf = (file: string) => found.filter((each) => each.file === file);

  it('are thirty of each, and nothing else is wrong', () => {
    assert.ok(right.length >= 30 && wrong.length >= 30, `${right.length} and ${wrong.length}`);
    const programs = new Set([...right, ...wrong].map(({ file }) => file));
    assert.deepEqual(
      found.filter(({ file }) => !programs.has(file)),
      [],
    );
  });

  for (const { name, file } of right) {
    it(`compile: ${name}`, () => assert.deepEqual(errorsOf(file), []));
  }

  for (const { name, file, text } of wrong) {
    it(`do not compile: ${name}`, () => {
      const [expected, ...more] = expectedIn(fileOf(text));
      assert.ok(expected !== undefined && more.length === 0, 'one line has to say what is wrong with it');
      const errors = errorsOf(file);
      assert.deepEqual(
        errors.map(({ line, code }) => `${line} ${code}`),
        [`${expected.line} ${expected.code}`],
        JSON.stringify(errors, null, 2),
      );
      const message = String(errors[0]?.message);
      assert.ok(message.includes(expected.message), message);
    });
  }
});
