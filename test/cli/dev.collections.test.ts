import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { newDirectory } from '../support/commands/outcome.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { until } from '../support/run/polling.ts';
import { call, type Development, startDevelopment, tokenFor } from '../support/services/development.ts';

const withField = (field: string, rest = '') => `
schema: { required: [${field}], properties: { ${field}: { type: string, maxLength: 40 } } }
limits: { newcomer: 2/day for 7d }
${rest}`;

const essays = `
schema: { properties: { text: { type: string, maxLength: 150000 } } }
limits: { bytes: 150000 }`;

describe('vestibule dev, changing collection files', () => {
  const folder = newDirectory();
  const declare = (name: string, text: string) => writeFileSync(`${folder}/declared/${name}.yaml`, text);
  let dev: Development;
  let token = '';
  let user = '';
  const create = (collection: string, fields: object) =>
    call(dev, token, `/${collection}`, { method: 'POST', body: JSON.stringify(fields) });
  /** Waits until dev has printed the text once more. */
  const prints = async (text: RegExp, change: () => void) => {
    const times = () => [...dev.printed().matchAll(new RegExp(text.source, 'g'))].length;
    const before = times();
    change();
    await until(times, (now) => now > before, `it has not said ${text} again`);
  };
  const served = (names: string) => new RegExp(`have changed and are served: ${names}\\.`);
  const asBefore = /served as they were before this change/;

  before(async () => {
    mkdirSync(`${folder}/declared`);
    declare('notes', withField('text'));
    dev = await startDevelopment(folder, { OPS_PORT: '0', COLLECTIONS_DIR: './declared' });
    token = await tokenFor(dev, 'ada');
    user = String((await call(dev, token, '/me')).body.id);
  });
  after(() => dev?.stop());

  it('COLLECTIONS_DIR is used', async () => {
    assert.equal((await create('notes', { text: 'a' })).status, 201);
  });

  it('newcomer limits are off, and the welcome says so', async () => {
    for (const text of ['b', 'c', 'd']) assert.equal((await create('notes', { text })).status, 201);
    assert.match(dev.welcome, /NEWCOMERS_PER_HOUR/);
    assert.match(dev.welcome, /Unlike "serve"/);
  });

  it('new and changed files are served', async () => {
    await prints(served('notes, tasks'), () => declare('tasks', withField('title')));
    assert.equal((await create('tasks', { title: 'a' })).status, 201);
    assert.equal((await create('tasks', { title: 'a', due: 'soon' })).status, 422);
    const more = withField('title').replace(
      'properties: {',
      'properties: { due: { type: string, maxLength: 20 },',
    );
    await prints(served('notes, tasks'), () => declare('tasks', more));
    assert.equal((await create('tasks', { title: 'a', due: 'soon' })).status, 201);
  });

  it('the OpenAPI document is revalidated by browsers and shows the change', async () => {
    const reply = await fetch(`http://127.0.0.1:${dev.port}/openapi.json`);
    assert.equal(reply.headers.get('cache-control'), 'no-cache');
    assert.match(await reply.text(), /consumer\/v1\/tasks\b/);
  });

  it('sessions and records survive a change', async () => {
    const { body } = await call(dev, token, '/me');
    assert.equal(body.id, user);
    const notes = (await call(dev, token, '/notes')).body.items as unknown[];
    assert.equal(notes.length, 4);
  });

  it('the provider grants a new scope of a collection', async () => {
    const guarded = withField('word', 'access: { scopes: { read: secrets.read } }');
    await prints(served('guarded, notes, tasks'), () => declare('guarded', guarded));
    const { status } = await call(dev, await tokenFor(dev, 'ada'), '/guarded');
    assert.equal(status, 200);
  });

  it('a mistake is printed with file and line, and the last valid declarations stay served', async () => {
    const good = readFileSync(`${folder}/declared/notes.yaml`, 'utf8');
    await prints(asBefore, () => declare('notes', good.replace('limits:', 'limit:')));
    assert.match(dev.printed(), /declared\/notes\.yaml:3: limit is not known here/);
    assert.equal((await create('notes', { text: 'still' })).status, 201);
    await prints(asBefore, () => declare('notes', 'schema: { half'));
    assert.equal((await create('notes', { text: 'still' })).status, 201);
    await prints(served('guarded, notes, tasks'), () => declare('notes', good));
    assert.equal((await create('notes', { text: 'again' })).status, 201);
  });

  it('a breaking change is reported, and the last valid declarations stay served', async () => {
    const good = readFileSync(`${folder}/declared/notes.yaml`, 'utf8');
    await prints(asBefore, () => declare('notes', withField('another')));
    assert.match(dev.printed(), /notes: breaking: .* records would fail/);
    assert.match(dev.printed(), /--allow-breaking-schemas/);
    assert.equal((await create('notes', { text: 'as before' })).status, 201);
    await prints(served('guarded, notes, tasks'), () => declare('notes', good));
  });

  it('a change that gives a role more access says so', async () => {
    const wide = withField('text', 'access: { read: everyone }');
    await prints(/notes: wider: everyone may also read \(\d records\)\n/, () => declare('notes', wide));
    assert.doesNotMatch(dev.printed(), /tasks: wider/);
  });

  it('a deleted file is no longer served', async () => {
    await prints(served('notes, tasks'), () => rmSync(`${folder}/declared/guarded.yaml`));
    assert.equal((await call(dev, token, '/guarded')).status, 404);
  });

  it('a deleted folder is reported, and the last valid declarations stay served', async () => {
    await prints(asBefore, () => rmSync(`${folder}/declared`, { recursive: true }));
    assert.match(dev.printed(), /"\.\/declared" \(COLLECTIONS_DIR\) cannot be read/);
    assert.equal((await create('notes', { text: 'from memory' })).status, 201);
  });

  it('repeated changes refuse no connection and leak no listeners', async () => {
    mkdirSync(`${folder}/declared`);
    const titled = (count: number) => `title: The ${count}.\n${withField('text')}`;
    declare(
      'tasks',
      withField('title').replace('properties: {', 'properties: { due: { type: string, maxLength: 20 },'),
    );
    let isChanging = true;
    const probe = async () => {
      const request = head('GET', '/.well-known/jwks.json');
      while (isChanging)
        assert.match(await exchange(`http://127.0.0.1:${dev.port}`, request), /^HTTP\/1\.1 200 /);
    };
    const probes = Promise.all([probe(), probe(), probe()]);
    // With the earlier changes, more than ten listeners, after which Node warns.
    const changes = async () => {
      for (let count = 1; count <= 6; count++)
        await prints(served('notes, tasks'), () => declare('notes', titled(count)));
    };
    await Promise.race([changes(), probes]);
    isChanging = false;
    await probes;
    assert.doesNotMatch(dev.printed(), /MaxListeners|Warning/);
  });

  it('dev still stops with exit code 0', async () => {
    assert.equal(await dev.stop(), 0);
  });
});

describe('vestibule dev --allow-breaking-schemas with MAX_BODY_BYTES', () => {
  it('applies a breaking change, and accepts larger bodies', async () => {
    const folder = newDirectory();
    mkdirSync(`${folder}/collections`);
    const declare = (field: string) => writeFileSync(`${folder}/collections/notes.yaml`, withField(field));
    declare('text');
    writeFileSync(`${folder}/collections/essays.yaml`, essays);
    const settings = { OPS_PORT: '0', MAX_BODY_BYTES: '200000' };
    const dev = await startDevelopment(folder, settings, [], ['--allow-breaking-schemas']);
    try {
      const token = await tokenFor(dev, 'ada');
      const create = (fields: object, collection = 'notes') =>
        call(dev, token, `/${collection}`, { method: 'POST', body: JSON.stringify(fields) });
      assert.equal((await create({ text: 'x'.repeat(100_000) }, 'essays')).status, 201);
      assert.equal((await create({ text: 'a' })).status, 201);
      declare('words');
      await until(dev.printed, (text) => text.includes('are served: essays, notes.'), 'it has not said so');
      assert.equal((await create({ words: 'a' })).status, 201);
    } finally {
      await dev.stop();
    }
  });
});
