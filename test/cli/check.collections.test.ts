import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { exits, failed, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { insertAll } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newRecord } from '../support/databases/records.ts';
import { part } from '../support/run/surroundings.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  newSettings,
  runVestibule,
  type Settings,
  someEngine,
  startService,
} from '../support/services/service.ts';

const bookings =
  'title: Bookings\nschema: {required: [seats], properties: {seats: {type: integer, maximum: 8}}}\n';

/** A new folder of declarations, and how to change them. */
function newCollections(files: Readonly<Record<string, string | Buffer>>) {
  const folder = `${newDirectory()}/declared`;
  mkdirSync(folder);
  const declare = (name: string, text: string | Buffer) => writeFileSync(`${folder}/${name}`, text);
  for (const [name, text] of Object.entries(files)) declare(name, text);
  return { folder, declare };
}

describe('vestibule check, collections', () => {
  const good = {
    TEST_DIRECTORY: newDirectory(),
    DATABASE_URL: `sqlite:${newDirectory()}/vestibule.db`,
    IDP_ORIGIN: 'https://login.example.org',
    API_AUDIENCE: 'https://api.example.org',
  };
  const check = (folder: string, ...options: string[]) =>
    runVestibule({ ...good, COLLECTIONS_DIR: folder }, 'check', ...options);

  it('lists the collections', async () => {
    const { folder } = newCollections({
      'bookings.yaml': bookings,
      'notes.yml': bookings.replace('Bookings', 'Notes'),
    });
    const shown = succeeded(await check(folder));
    assert.match(shown, /^COLLECTIONS +TITLE\nbookings +Bookings\nnotes +Notes$/m);
    const { collections } = JSON.parse(succeeded(await check(folder, '--json')));
    assert.deepEqual(collections, [
      { name: 'bookings', title: 'Bookings' },
      { name: 'notes', title: 'Notes' },
    ]);
  });

  it('exits with 1 and lists every mistake with file, line and correction', async () => {
    const { folder } = newCollections({
      'bookings.yaml': `${bookings}limts: {}\nlimits: { writes: often }\n`,
      'me.yaml': bookings,
      'notes.yaml': `${bookings}parent: { field: booking, collection: bokings }\n`,
    });
    const stderr = exits(1, await check(folder));
    assert.deepEqual(stderr.replaceAll(folder, 'declared').split('\n'), [
      'vestibule: 4 mistakes in the declarations of collections:',
      '  declared/bookings.yaml:3: limts is not known here; did you mean "limits"?',
      '  declared/bookings.yaml:4: limits.writes must be a rate such as 30/min (s, min, h or d); found "often".',
      '  declared/me.yaml:1: The file has a reserved name; found "me". Choose another.',
      '  declared/notes.yaml:3: parent.collection must be another collection; found "bokings", did you mean "bookings"?',
      '',
    ]);
  });

  it('accepts a byte order mark, and refuses a file that is not UTF-8', async () => {
    const marked = newCollections({ 'bookings.yaml': `\ufeff${bookings}` });
    assert.match(succeeded(await check(marked.folder)), /^bookings +Bookings$/m);
    const foreign = newCollections({
      'bookings.yaml': Buffer.from(`${bookings}description: für\n`, 'latin1'),
    });
    const says = /^vestibule: The file ".*bookings\.yaml" \(COLLECTIONS_DIR\) is not UTF-8: save it/;
    exits(1, await check(foreign.folder), says);
  });

  it('names a missing folder', async () => {
    const says = /^vestibule: The folder ".*nowhere" \(COLLECTIONS_DIR\) cannot be read \(ENOENT\)/;
    exits(1, await check(`${newDirectory()}/nowhere`), says);
  });
});

describe('vestibule check without the settings of a service', () => {
  const { folder } = newCollections({ 'bookings.yaml': bookings });
  const check = (settings: Settings, ...options: string[]) =>
    runVestibule({ TEST_DIRECTORY: newDirectory(), ...settings }, 'check', ...options);
  const inOrder =
    'The collections are in order.\n\nCOLLECTIONS  TITLE\nbookings     Bookings\n\nThe settings were not checked. To check them, set IDP_ORIGIN and API_AUDIENCE and run "npx vestibule check".\n';

  it('checks only the collections if nothing but their folder is set or given', async () => {
    assert.equal(succeeded(await check({ COLLECTIONS_DIR: folder })), inOrder);
    assert.equal(succeeded(await check({ COLLECTIONS_DIR: folder, IDP_ORIGIN: ' ' })), inOrder);
    assert.equal(succeeded(await check({}, folder)), inOrder);
    assert.equal(succeeded(await check({ COLLECTIONS_DIR: '/nowhere', PORT: 'http' }, folder)), inOrder);
    assert.deepEqual(JSON.parse(succeeded(await check({}, folder, '--json'))), {
      ok: true,
      settings: null,
      collections: [{ name: 'bookings', title: 'Bookings' }],
      database: null,
      provider_keys: null,
    });
  });

  it('reports mistakes in the collections, and an empty folder', async () => {
    const { folder: wrong } = newCollections({ 'bookings.yaml': `${bookings}limts: {}\n` });
    const says = /bookings\.yaml:3: limts is not known here; did you mean "limits"\?/;
    for (const outcome of [await check({ COLLECTIONS_DIR: wrong }), await check({}, wrong)])
      exits(1, outcome, says);
    refused(await check({}, newDirectory()), /There are no collections in/);
  });

  it('requires the provider if other settings are set, nothing is set, or --against is used', async () => {
    const missing = /^vestibule: There are mistakes in the settings:\n {2}IDP_ORIGIN is not set\./;
    for (const outcome of [
      await check({}),
      await check({ COLLECTIONS_DIR: folder, PORT: '8080' }),
      await check({ COLLECTIONS_DIR: folder }, '--against'),
      await check({}, folder, '--against'),
    ])
      exits(1, outcome, missing);
    exits(1, await check({}), /"npx vestibule check collections"/);
  });
});

/** A database that a service has used with these declarations, and records of so many seats. */
async function withBookings(engine: DatabaseEngine, folder: string, allSeats: readonly number[]) {
  const { mockOrigin: IDP_ORIGIN } = await part('providers');
  const settings = await newSettings(engine, { COLLECTIONS_DIR: folder, IDP_ORIGIN });
  await (await startService(settings)).stop();
  const storage = await plainSql(settings).open();
  const records = allSeats.map((seats) => newRecord({ collection: 'bookings', fields: { seats } }));
  await insertAll(storage, records);
  await storage.close();
  return settings;
}

for (const engine of someEngine) {
  describe(`vestibule check --against the records of ${engine}`, () => {
    const { folder, declare } = newCollections({ 'bookings.yaml': bookings });
    let settings: Settings;
    const against = (...options: string[]) => runVestibule(settings, 'check', '--against', ...options);
    before(async () => {
      settings = await withBookings(engine, folder, [2, 4, 8]);
    });

    it('reports unchanged declarations', async () => {
      assert.equal(succeeded(await against()), 'bookings: unchanged\n');
    });

    it('a folder argument replaces COLLECTIONS_DIR', async () => {
      const other = newCollections({ 'bookings.yaml': bookings.replace('8', '9') });
      assert.equal(succeeded(await against(other.folder)), 'bookings: compatible (seats maximum 8 -> 9)\n');
    });

    it('reports compatible changes and new collections', async () => {
      declare('bookings.yaml', bookings.replace('8', '9'));
      declare('notes.yaml', bookings);
      assert.equal(succeeded(await against()), 'bookings: compatible (seats maximum 8 -> 9)\nnotes: new\n');
    });

    it('reports breaking changes with exit code 1, and stores nothing', async () => {
      declare('bookings.yaml', bookings.replace('8', '4'));
      declare('notes.yaml', bookings);
      for (let times = 0; times < 2; times += 1) {
        const { code, stdout } = await against();
        const sentence = 'bookings: breaking: seats maximum 8 -> 4, 1 of 3 records would fail';
        assert.deepEqual([code, stdout], [1, `${sentence}\nnotes: new\n`]);
      }
      const { code, stdout } = await against('--json');
      assert.equal(code, 1);
      const { ok, collections } = JSON.parse(stdout);
      assert.equal(ok, false);
      assert.deepEqual(collections[0], {
        collection: 'bookings',
        verdict: 'breaking',
        changes: ['seats maximum 8 -> 4'],
        total: 3,
        failing: 1,
        wider: [],
        sentence: 'bookings: breaking: seats maximum 8 -> 4, 1 of 3 records would fail',
      });
    });

    it('lists what breaks first', async () => {
      declare('areas.yaml', bookings);
      declare('bookings.yaml', bookings.replace('8', '4'));
      const { stdout } = await against();
      assert.match(stdout, /^bookings: breaking: .*\nareas: new\n/);
    });

    it('reports wider access with exit code 1, unless --accept-wider is given', async () => {
      const other = newCollections({ 'bookings.yaml': `${bookings}access: { read: everyone }\n` });
      const { code, stdout } = await against(other.folder);
      assert.equal(code, 1);
      const [changes, wider] = stdout.split('\n');
      assert.match(String(changes), /^bookings: compatible \(access read /);
      assert.equal(wider, 'bookings: wider: everyone may also read (3 records)');
      const accepted = succeeded(await against(other.folder, '--accept-wider'));
      assert.ok(accepted.includes(String(wider)));
      const { ok, collections } = JSON.parse((await against(other.folder, '--json')).stdout);
      assert.equal(ok, false);
      assert.deepEqual(collections[0].wider, [
        { role: 'everyone', verb: 'read', states: [null], records: 3 },
      ]);
      // Narrower access is not a failure.
      const narrow = newCollections({ 'bookings.yaml': `${bookings}access: { delete: nobody }\n` });
      succeeded(await against(narrow.folder));
    });

    it('serve refuses the same breaking changes, unless they are allowed', async () => {
      declare('bookings.yaml', `${bookings.replace('8', '4')}access: { read: everyone }\n`);
      const says = /bookings: breaking: .*seats maximum 8 -> 4.*, 1 of 3 records would fail/;
      exits(1, await runVestibule(settings, 'serve'), says);
      await (await startService({ ...settings, TEST_SERVE_OPTIONS: '--allow-breaking-schemas' })).stop();
      assert.match(succeeded(await against()), /^bookings: unchanged$/m);
    });
  });
}

for (const engine of databaseEngines)
  describe(`duplicate values under a new "unique" rule, on ${engine}`, () => {
    const { folder, declare } = newCollections({ 'bookings.yaml': bookings });
    let settings: Settings;
    before(async () => {
      settings = await withBookings(engine, folder, [2, 2, 2, 4]);
      declare('bookings.yaml', `${bookings}unique: [{ fields: [seats], reveals: true }]\n`);
    });

    it('check --against counts them', async () => {
      const { code, stdout } = await runVestibule(settings, 'check', '--against', '--json');
      const [verdict] = JSON.parse(stdout).collections;
      const found = [code, verdict.verdict, verdict.failing, verdict.total];
      assert.deepEqual(found, [1, 'breaking', 2, 4], stdout);
    });

    it('serve refuses to start, even with --allow-breaking-schemas', async () => {
      exits(1, await runVestibule(settings, 'serve'), /bookings: breaking: .*, 2 of 4 records would fail/);
      const allowed = await runVestibule(settings, 'serve', '--allow-breaking-schemas');
      failed(allowed, /Some records have the same values.*"unique"/);
      declare('bookings.yaml', bookings);
      await (await startService(settings)).stop();
    });
  });
