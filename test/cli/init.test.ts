import assert from 'node:assert/strict';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
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
    assert.deepEqual(readdirSync(`${folder}/page`), ['addresses.js', 'index.html', 'page.js', 'sign-in.js']);
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

  it('--port sets the ports of the service, its metrics, the provider and the page', async () => {
    const folder = newDirectory();
    const said = succeeded(await endOf({}, ['init', '--port', '9000'], folder));
    const addresses = await import(pathToFileURL(`${folder}/page/addresses.js`).href);
    assert.deepEqual(
      [addresses.api, addresses.issuer, addresses.page],
      ['http://127.0.0.1:9000', 'http://127.0.0.1:9002', 'http://localhost:9003'],
    );
    const settings = { IDP_ORIGIN: 'http://127.0.0.1:1', API_AUDIENCE: 'api' };
    const set = succeeded(await endOf(settings, ['--settings', 'vestibule.env', 'check'], folder));
    for (const line of [
      /^PORT +set +9000$/m,
      /^OPS_PORT +set +9001$/m,
      /^CORS_ORIGINS +set +http:\/\/localhost:9003$/m,
    ])
      assert.match(set, line);
    assert.match(said, /dev --provider-port 9002\n/);
    for (const file of globSync('**/*.*', { cwd: folder, exclude: ['*.out'] }))
      assert.doesNotMatch(readFileSync(`${folder}/${file}`, 'utf8'), /\b(8080|8081|3000|5173)\b/, file);
  });

  it('--port must leave room for four ports', async () => {
    const { code, stderr } = await endOf({}, ['init', '--port', '65533'], newDirectory());
    assert.notEqual(code, 0);
    assert.match(stderr, /must be a whole number from 1 to 65532/);
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
