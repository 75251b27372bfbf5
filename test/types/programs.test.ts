import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { readCollections } from '../../src/collections/read-collections.ts';
import { typesDocument } from '../../src/records/types/types-document.ts';
import { exampleDeclarations } from '../families/examples.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { declarations } from './declarations.ts';
import { api, compilerOptions, type Diagnostic, diagnosticsIn, expectedIn, imports } from './programs.ts';
import { rightPeoplePrograms } from './right-people-programs.ts';
import { rightPrograms } from './right-programs.ts';
import { wrongPeoplePrograms } from './wrong-people-programs.ts';
import { wrongPrograms } from './wrong-programs.ts';

const client = resolve('packages/client/src/index.ts');

/** The imports fill the first line, which each program leaves empty. */
const fileOf = (program: string) => `${imports}${program}\n`;

/** The declarations of this folder, and those of examples with parents. */
const collections = readCollections(
  Object.entries({ ...declarations, ...exampleDeclarations('class', 'team', 'feedback') }).map(
    ([name, text]) => ({
      name,
      path: `collections/${name}.yaml`,
      text,
    }),
  ),
);

function programsIn(kind: string, ...groups: readonly Readonly<Record<string, string>>[]) {
  const all = groups.flatMap((group) => Object.entries(group));
  return all.map(([name, text], index) => ({ name, text, file: `${kind}${index}.ts` }));
}

describe('programs against the types of collections', () => {
  const right = programsIn('right', rightPrograms, rightPeoplePrograms);
  const wrong = programsIn('wrong', wrongPrograms, wrongPeoplePrograms);
  let found: readonly Diagnostic[] = [];
  before(() => {
    const folder = newDirectory();
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

  it('there are at least thirty programs of each kind, and no other file has errors', () => {
    for (const group of [rightPrograms, wrongPrograms, rightPeoplePrograms, wrongPeoplePrograms])
      assert.ok(Object.keys(group).length >= 30, `${Object.keys(group).length}`);
    const programs = new Set([...right, ...wrong].map(({ file }) => file));
    assert.deepEqual(
      found.filter(({ file }) => !programs.has(file)),
      [],
    );
  });

  for (const { name, file } of right) {
    it(`compiles: ${name}`, () => assert.deepEqual(errorsOf(file), []));
  }

  for (const { name, file, text } of wrong) {
    it(`does not compile: ${name}`, () => {
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
