import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { typesDocument } from '../../src/records/types/types-document.ts';
import { endOf, exits, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { declared } from '../support/services/declared.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';

const notes = 'schema: { properties: { text: { type: string, maxLength: 280 } } }\n';

describe('vestibule types', () => {
  let folder: string;
  let work: string;
  const expected = typesDocument([declared(notes, 'notes')]);
  before(() => {
    folder = `${newDirectory()}/declared`;
    work = newDirectory();
    mkdirSync(folder);
    writeFileSync(`${folder}/notes.yaml`, notes);
  });
  const run = (settings: Settings, ...parameters: string[]) =>
    runVestibule({ TEST_DIRECTORY: newDirectory(), ...settings }, 'types', ...parameters);

  it('prints the types of a folder or COLLECTIONS_DIR, without other settings', async () => {
    assert.equal(succeeded(await run({}, folder)), expected);
    assert.equal(succeeded(await run({ COLLECTIONS_DIR: folder })), expected);
    assert.equal(succeeded(await run({ COLLECTIONS_DIR: '/nowhere' }, folder)), expected);
  });

  it('--out writes or replaces the file, and leaves no other file', async () => {
    const file = `${work}/written/collections.d.ts`;
    mkdirSync(`${work}/written`);
    for (const before of [null, 'something else']) {
      if (before !== null) writeFileSync(file, before);
      const said = succeeded(await run({}, folder, '--out', file));
      assert.match(said, /^The types are in ".*collections\.d\.ts"\.$/m);
      assert.equal(readFileSync(file, 'utf8'), expected);
    }
    assert.deepEqual(readdirSync(`${work}/written`), ['collections.d.ts']);
    assert.equal(statSync(file).mode & 0o600, 0o600);
  });

  it('--out follows a symbolic link and keeps it', async () => {
    writeFileSync(`${work}/target.d.ts`, '');
    symlinkSync(`${work}/target.d.ts`, `${work}/link.d.ts`);
    succeeded(await run({}, folder, '--out', `${work}/link.d.ts`));
    assert.equal(readFileSync(`${work}/target.d.ts`, 'utf8'), expected);
  });

  it('--out refuses a missing folder and a target that is no file', async () => {
    const outcome = await run({}, folder, '--out', `${work}/none/x.d.ts`);
    refused(outcome, /none\/x\.d\.ts" cannot be written \(ENOENT\)/);
    refused(await run({}, folder, '--out', '/dev/null'), /"\/dev\/null" exists and is not a file/);
    refused(await run({}, folder, '--out', work), /exists and is not a file/);
    assert.equal(statSync('/dev/null').isCharacterDevice(), true);
  });

  it('--check compares a file and writes nothing', async () => {
    const file = `${work}/checked.d.ts`;
    refused(await run({}, folder, '--check', file), /checked\.d\.ts" cannot be read \(ENOENT\)/);
    for (const same of [expected, expected.replaceAll('\n', '\r\n')]) {
      writeFileSync(file, same);
      assert.match(succeeded(await run({}, folder, '--check', file)), /matches the declarations\.$/m);
    }
    const other = expected.replace('text?', 'texts?');
    writeFileSync(file, other);
    const says = /does not match the declarations\. Write it again: npx vestibule types --out /;
    refused(await run({}, folder, '--check', file), says);
    assert.equal(readFileSync(file, 'utf8'), other);
  });

  it('--out and --check exclude each other', async () => {
    exits(2, await run({}, folder, '--check', 'a', '--out', 'b'), /cannot be used with option/);
  });

  it('a mistake in a declaration is reported with its line, and the file is unchanged', async () => {
    const wrong = `${newDirectory()}/wrong`;
    mkdirSync(wrong);
    writeFileSync(`${wrong}/notes.yaml`, `${notes}limts: {}\n`);
    const file = `${work}/kept.d.ts`;
    writeFileSync(file, 'kept');
    const says = /notes\.yaml:2: limts is not known here; did you mean "limits"\?/;
    exits(1, await run({}, wrong, '--out', file), says);
    assert.equal(readFileSync(file, 'utf8'), 'kept');
  });

  it('missing collections are reported', async () => {
    const says = /There are no collections in "collections": no file there ends in \.yaml or \.yml\./;
    refused(await endOf({}, ['types']), says);
    refused(await run({}, newDirectory()), /There are no collections in ".*": no file there/);
    refused(await run({}, `${work}/nowhere`), /nowhere" \(COLLECTIONS_DIR\) cannot be read \(ENOENT\)/);
  });
});

describe('vestibule schema', () => {
  it('prints docs/collection.schema.json without settings', async () => {
    const shown = succeeded(await runVestibule({ TEST_DIRECTORY: newDirectory() }, 'schema'));
    assert.equal(shown, readFileSync('docs/collection.schema.json', 'utf8'));
  });
});
