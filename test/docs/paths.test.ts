import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { pages } from './documented-commands.ts';

const rooms = '{bin,src,web,packages,starter,collections,deploy,docs,test,bench}';
const files = globSync(`${rooms}/**`, { exclude: (path) => basename(path) === 'node_modules' });

/** A page may leave out the folders around a path, and how the file's name ends. */
const names = new Set(files.flatMap((file) => [file, file.replace(/(\.test)?\.[a-z]+$/, '')]).flatMap(tails));

/** The first folders of project paths; `application/json` is not a path. */
const folders = new Set(globSync([rooms, 'src/**/']).map((folder) => basename(folder)));

function tails(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, first) => parts.slice(first).join('/'));
}

function paths(page: string): readonly string[] {
  const found = readFileSync(page, 'utf8').matchAll(/`(([\w.-]+)\/[\w./*-]*)`/g);
  return [...found]
    .filter(([, , first]) => folders.has(String(first)))
    .map(([, path]) => String(path).replace(/\/$/, ''));
}

function exists(path: string): boolean {
  return path.includes('*') ? globSync(`{,src/}${path}{,.ts}`).length > 0 : names.has(path);
}

/** Decisions once named files by former names. */
describe('paths in README and docs', () => {
  it('control: a path is recognised, and a missing one is noticed', () => {
    assert.ok(paths('ARCHITECTURE.md').includes('auth/verifier'));
    assert.ok(exists('auth/verifier') && !exists('auth/no-such-file'));
  });

  it('the table of folders in ARCHITECTURE.md names files of each folder', () => {
    const [, table = ''] = /^## Folders\n([\s\S]*?)^## /m.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? [];
    const rows = [...table.matchAll(/^\| `(src\/\w+\/)` \| (.*) \|$/gm)];
    assert.ok(rows.length > 10);
    const missing = rows.flatMap(([, folder = '', text = '']) =>
      [...text.matchAll(/`([a-z-]+\/?)`/g)]
        .map(([, name = '']) => folder + name.replace(/\/$/, ''))
        .filter((path) => !names.has(path)),
    );
    assert.deepEqual(missing, []);
  });

  for (const page of pages)
    it(`exist: ${page}`, () => {
      const missing = paths(page).filter((path) => !exists(path));
      assert.deepEqual(missing, []);
    });
});
