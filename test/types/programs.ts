import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { readCollections } from '../../src/collections/read-collections.ts';
import { typesDocument } from '../../src/records/types/types-document.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { exampleDeclarations } from '../support/people/examples.ts';
import { declarations } from './declarations.ts';

/** The imports of every program, on its first line. */
const imports = [
  "import { createClient, etagOf, type Operation, Problem, type ProblemOf } from '@vestibule/client';",
  "import { api, assignments, bookings, classes, handins, id, issues, items, notes, posts, tasks } from './api.ts';",
  "import type { Booking, BookingChanges, BookingFields, Collections, Item, Note, TeamPost } from './collections.d.ts';",
].join(' ');

const api = `import { createClient } from '@vestibule/client';
import type { Collections } from './collections.d.ts';
export const api = createClient<Collections>({ url: 'https://api.example.org', token: async () => 'token' });
export const { notes, bookings, items, 'team-posts': posts, classes, assignments, handins, tasks, issues } = api.collections;
export const id = '01a1de60-ae7f-71eb-b3f4-e2fc41501895';
`;

/** The options of a web page; the declarations are checked, too. */
const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
  paths: { '@vestibule/client': [resolve('packages/client/src/index.ts')] },
};

interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  /** Includes the continuation lines. */
  readonly message: string;
}

/** The output of tsc for these files. */
export function outputOfTsc(files: Readonly<Record<string, string>>): string {
  const folder = newDirectory();
  for (const [file, text] of Object.entries(files)) writeFileSync(`${folder}/${file}`, text);
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }));
  const command = [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'];
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout;
}

/**
 * Declares a test for each program, which stands under its name (`## name`): it compiles, or has the one error that its
 * comment expects.
 */
export function compile(errorsOfEach: 0 | 1, programs: string): void {
  const files = programs
    .split(/^## /m)
    .slice(1)
    .map((program, index) => {
      const [name = '', ...lines] = program.split('\n');
      return { name, file: `program${index}.ts`, text: [imports, ...lines].join('\n') };
    });
  assert.ok(files.length >= 60, `${files.length} programs`);
  let found: readonly Diagnostic[] = [];
  before(() => {
    // The declarations of this folder, and those of examples with parents.
    const all = { ...declarations, ...exampleDeclarations('class', 'team', 'feedback') };
    const sources = Object.entries(all).map(([name, text]) => ({ name, path: `${name}.yaml`, text }));
    const output = outputOfTsc({
      'collections.d.ts': typesDocument(readCollections(sources)),
      'api.ts': api,
      ...Object.fromEntries(files.map(({ file, text }) => [file, text])),
    });
    found = diagnosticsIn(output);
    assert.equal(found.length, output.match(/error TS\d+/g)?.length ?? 0, output);
    const others = found.filter((each) => !files.some(({ file }) => file === each.file));
    assert.deepEqual(others, [], 'only programs have errors');
  });

  describe('programs against the types of collections', () => {
    for (const { name, file, text } of files) {
      it(`${errorsOfEach === 0 ? 'compiles' : 'does not compile'}: ${name}`, () => {
        const expected = expectedIn(text);
        assert.equal(expected.length, errorsOfEach, 'comments that expect an error');
        const errors = found.filter((each) => each.file === file);
        assert.equal(errors.length, errorsOfEach, JSON.stringify(errors, null, 2));
        for (const [index, { line, code, message }] of errors.entries()) {
          assert.equal(`${line} ${code}`, `${expected[index]?.line} ${expected[index]?.code}`, message);
          assert.ok(message.includes(String(expected[index]?.message)), message);
        }
      });
    }
  });
}

/** Parses the output of tsc. */
function diagnosticsIn(output: string): readonly Diagnostic[] {
  const form = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*(?:\n +.*)*)$/gm;
  return [...output.matchAll(form)].map(([, file = '', line, code = '', message = '']) => {
    return { file, line: Number(line), code, message };
  });
}

/** The errors that the comments of a program expect. */
function expectedIn(program: string) {
  return program.split('\n').flatMap((text, index) => {
    const [, code, message] = /\/\/ (TS\d+) (.*)$/.exec(text) ?? [];
    return code === undefined || message === undefined ? [] : [{ line: index + 1, code, message }];
  });
}
