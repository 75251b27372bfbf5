import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { sizeOf } from '../../packages/client/size.ts';
import { declaredTypes } from '../../src/operate/declarations.ts';
import { runProgram } from '../support/commands/outcome.ts';
import { surroundings } from '../support/run/surroundings.ts';

const readme = readFileSync('packages/client/README.md', 'utf8');

/** As `npx vestibule types` writes them for the collections of the project. */
const collections = declaredTypes('collections');

/** The program that an example needs around it. */
const around = `
declare function accessToken(expired?: string): Promise<string>;
declare function draw(items: readonly { text: string }[]): void;
`;

const wrong: Readonly<Record<string, string>> = {
  'a collection that is not declared': 'void api.collections.nothing;',
  'a field that is not declared': "await notes.create({ text: 'a', more: 1 });",
  'a field of the wrong type': 'await notes.create({ text: 1 });',
  'a filter by what is not indexed': "notes.list({ text: 'a' });",
  'an action that is not declared': 'await bookings.archive(note.id);',
  'an action without its input': 'await items.lend(item.id);',
  'an invitation in a collection that has none': "await items.invite(item.id, { role: 'borrower' });",
  'an action of a collection that has none': "await notes.act(note.id, 'submit');",
  'a record without what it has not': 'note.colour;',
  'a hook with a query by what is not indexed': "useList(notes, { text: 'a' });",
  'a hook with a field that there is not': 'useRecord(notes, note.id).record?.colour;',
  'a hook whose function is given something else':
    'useAction((text: string) => notes.create({ text })).run(1);',
  'a function that returns what does not fit': 'await notes.update(note.id, ({ text }) => ({ done: text }));',
};

function programOf(text: string): string {
  const blocks = [...text.matchAll(/```tsx?\n([\s\S]*?)```/g)].map(([, block]) => block);
  assert.ok(blocks.length >= 4);
  return `${around}${blocks.join('\n').replace("from './collections.d.ts';", "from './collections.d.ts';\nconst { bookings, items } = (null as never as import('@vestibule/client').Client<Collections>).collections;")}`;
}

/** The diagnostics of the compiler for programs, by name. */
async function compile(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = `${surroundings().runDirectory}/client-readme-${Object.keys(programs).length}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/collections.d.ts`, collections);
  for (const name of ['addresses.js', 'sign-in.js'])
    copyFileSync(`starter/page/${name}`, `${folder}/${name}`);
  for (const [name, text] of Object.entries(programs)) writeFileSync(`${folder}/${name}.tsx`, text);
  const compilerOptions = {
    noEmit: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    jsx: 'react-jsx',
    paths: {
      '@vestibule/client': [resolve('packages/client/src/index.ts')],
      '@vestibule/client/react': [resolve('packages/client/src/react.ts')],
      react: [resolve('node_modules/@types/react')],
      'react/*': [resolve('node_modules/@types/react/*')],
    },
    allowImportingTsExtensions: true,
    allowJs: true,
    noUnusedLocals: false,
  };
  const config = {
    extends: resolve('tsconfig.json'),
    compilerOptions,
    include: [`${folder}/*.ts`, `${folder}/*.tsx`],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
  const tsc = resolve('node_modules/typescript/bin/tsc');
  return (await runProgram(process.execPath, [tsc, '-p', folder], { timeout: 120_000 })).stdout;
}

describe('the README of the project', () => {
  it('the example compiles with the sign-in module that init writes', async () => {
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
    assert.match(example, /createClient/);
    assert.equal(await compile({ example }), '');
  });
});

describe('the README of @vestibule/client', () => {
  it('the examples compile, and each wrong program fails with one error', async () => {
    const program = programOf(readme);
    const names = Object.keys(wrong);
    const programs = Object.fromEntries(
      names.map((name, index) => [`wrong${index}`, `${program}\n${wrong[name]}\n`]),
    );
    const said = await compile({ right: program, ...programs });
    const saidOf = (file: string) => said.split('\n').filter((line) => line.includes(`${file}.tsx`));
    assert.deepEqual(saidOf('right'), []);
    for (const [index, name] of names.entries()) {
      const lines = saidOf(`wrong${index}`);
      assert.equal(lines.length, 1, `${name}: ${lines.join('\n')}`);
    }
  });

  it('the stated bundle sizes are true and within the limits', async () => {
    // zlib packs a little differently on other machines; README.md claims 6 kB and 2 kB at most.
    const limits = { index: 6_000, react: 2_000 } as const;
    for (const entry of ['index', 'react'] as const) {
      const { gzip, brotli, minified } = await sizeOf(entry);
      console.log(`${entry}: ${gzip} bytes with gzip, ${brotli} with brotli (${minified} minified)`);
      assert.ok(gzip <= limits[entry], `${entry}: ${gzip} bytes with gzip`);
      // The next version of zlib may pack a few bytes more or fewer.
      const isStated = (bytes: number) => readme.includes(`is ${(bytes / 1_000).toFixed(1)} kB with gzip`);
      assert.ok([gzip - 50, gzip, gzip + 50].some(isStated), `${entry}: ${gzip} bytes with gzip`);
    }
  });
});
