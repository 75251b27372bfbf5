import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { endOf, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';

const written = ['collections', 'page', 'vestibule.env', 'vite.config.js'];
/** The test harness writes the output of the command to ".out" files. */
const filesIn = (folder: string) => readdirSync(folder).filter((name) => !name.endsWith('.out'));

describe('vestibule init', () => {
  it('writes a settings file, a collection and a page, and prints the next two commands', async () => {
    const folder = newDirectory();
    const said = succeeded(await endOf({}, ['init'], folder));
    assert.deepEqual(filesIn(folder), written);
    assert.deepEqual(readdirSync(`${folder}/collections`), ['notes.yaml']);
    assert.deepEqual(readdirSync(`${folder}/page`), ['index.html', 'page.js', 'sign-in.js']);
    assert.deepEqual(said.match(/^ {2}npx .*$/gm), [
      '  npx vestibule --settings vestibule.env dev',
      '  npx vite',
    ]);
    assert.match(said, /http:\/\/localhost:5173\//);
  });

  it('the written settings and collection are valid', async () => {
    const folder = newDirectory();
    succeeded(await endOf({}, ['init'], folder));
    const settings = { IDP_ORIGIN: 'http://127.0.0.1:1', API_AUDIENCE: 'api' };
    const said = succeeded(await endOf(settings, ['--settings', 'vestibule.env', 'check'], folder));
    assert.match(said, /^CORS_ORIGINS +set +http:\/\/localhost:5173$/m);
    assert.match(said, /\bnotes\b/);
  });

  it('other files in the folder do not matter', async () => {
    const folder = newDirectory();
    writeFileSync(`${folder}/package.json`, '{}');
    mkdirSync(`${folder}/collections`);
    succeeded(await endOf({}, ['init'], folder));
    assert.deepEqual(filesIn(folder), [...written, 'package.json'].sort());
  });

  for (const there of ['page/page.js', 'vestibule.env', 'collections/notes.yaml']) {
    it(`refuses a folder with ${there}, and writes nothing`, async () => {
      const folder = newDirectory();
      for (const name of ['collections', 'page']) mkdirSync(`${folder}/${name}`);
      writeFileSync(`${folder}/${there}`, 'mine');
      refused(await endOf({}, ['init'], folder), new RegExp(`has ${there} already, so nothing was written`));
      assert.equal(readFileSync(`${folder}/${there}`, 'utf8'), 'mine');
      const expected = [...new Set(['collections', 'page', there.split('/')[0]])].sort();
      assert.deepEqual(filesIn(folder).sort(), expected);
    });
  }

  it('refuses to run twice', async () => {
    const folder = newDirectory();
    succeeded(await endOf({}, ['init'], folder));
    refused(await endOf({}, ['init'], folder), /nothing was written/);
  });
});
