import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { readCollectionFiles } from '../../src/config/files.ts';

describe('readCollectionFiles', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(`${tmpdir()}/collections-`);
  });
  after(() => rmSync(folder, { recursive: true }));
  const newFolder = (files: Readonly<Record<string, string>>) => {
    const path = mkdtempSync(`${folder}/`);
    for (const [name, text] of Object.entries(files)) writeFileSync(`${path}/${name}`, text);
    return path;
  };

  it('reads the YAML files of a folder in order of name', () => {
    const path = newFolder({
      'b.yaml': 'two',
      'a.yml': 'one',
      'README.md': 'x',
      'c.yaml.bak': 'x',
      'a-b.yaml': 'three',
    });
    assert.deepEqual(readCollectionFiles(path), [
      { name: 'a', path: `${path}/a.yml`, text: 'one' },
      { name: 'a-b', path: `${path}/a-b.yaml`, text: 'three' },
      { name: 'b', path: `${path}/b.yaml`, text: 'two' },
    ]);
  });

  it('reads the folder "collections" by default', () => {
    const shown = readCollectionFiles(null).map(({ path }) => path);
    assert.deepEqual(shown, [
      'collections/bookings.yaml',
      'collections/items.yaml',
      'collections/notes.yaml',
    ]);
  });

  it('refuses two files with one name', () => {
    const path = newFolder({ 'a.yaml': '', 'a.yml': '' });
    assert.throws(() => readCollectionFiles(path), /has both "a\.yaml" and "a\.yml"\. Keep one of the two\./);
  });

  it('refuses a missing folder', () => {
    assert.throws(() => readCollectionFiles(`${folder}/nowhere`), {
      name: 'OperatorError',
      message: /nowhere" \(COLLECTIONS_DIR\) cannot be read \(ENOENT\)/,
    });
  });

  it('refuses a file over 256 KiB and anything that is not a regular file', () => {
    const most = 256 * 1024;
    assert.equal(readCollectionFiles(newFolder({ 'a.yaml': '#'.repeat(most) })).length, 1);
    for (const size of [most + 1, 1024 * 1024]) {
      const path = newFolder({ 'a.yaml': '#'.repeat(size) });
      assert.throws(
        () => readCollectionFiles(path),
        /a\.yaml" \(COLLECTIONS_DIR\) is larger than 262144 bytes/,
      );
    }
    const noFile = (make: (path: string) => void) => {
      const path = newFolder({});
      make(`${path}/a.yaml`);
      assert.throws(() => readCollectionFiles(path), /a\.yaml" \(COLLECTIONS_DIR\) is not a regular file/);
    };
    noFile((path) => mkdirSync(path));
    noFile((path) => execFileSync('mkfifo', [path]));
    noFile((path) => symlinkSync('/dev/zero', path));
  });
});
