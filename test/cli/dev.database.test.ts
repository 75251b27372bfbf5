import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { endOf, newDirectory, type Outcome, succeeded } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { callAs, type Development, startDevelopment } from '../support/services/development.ts';
import { type Settings, startThrough } from '../support/services/service.ts';

const noSettings = {};
/** The default database of `serve`. */
const usual = { DATABASE_URL: 'sqlite:./data/vestibule.db' };

describe('the database of vestibule dev', () => {
  const folder = newDirectory();
  let dev: Development;
  let user = '';
  let exampleClient = { client_id: '', client_secret: '' };
  const run = (settings: Settings, ...parameters: string[]) => endOf(settings, parameters, folder);
  /** Checks the line that names the database. Returns the output. */
  const ofDev = ({ code, stdout, stderr }: Outcome): string => {
    assert.equal(code, 0, stderr);
    const url = `http://127\\.0\\.0\\.1:${dev.port}`;
    assert.match(
      stderr,
      new RegExp(`^Database: that of the "npx vestibule dev" that runs at ${url}\\..*\\n$`),
    );
    return stdout;
  };
  const clientsIn = (listed: string) =>
    JSON.parse(listed).map(({ client_id }: { client_id: string }) => client_id);
  const listed = (settings: Settings) => run(settings, 'client', 'list', '--json');

  before(async () => {
    dev = await startDevelopment(folder, { OPS_PORT: '0' });
    user = String((await callAs(dev, 'ada', '/me')).body.id);
    const credentials = /\{"client_id":"dev-client","client_secret":"[^"]+"\}/.exec(dev.welcome)?.[0];
    exampleClient = JSON.parse(credentials ?? '');
  });
  after(() => dev?.stop());

  const getsToken = (url: string) =>
    fetch(`${url}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exampleClient),
    });

  it('dev uses its own file, not that of serve', () => {
    assert.ok(existsSync(`${folder}/data/dev.db`));
    assert.equal(existsSync(`${folder}/data/vestibule.db`), false);
    assert.match(dev.welcome, /^ *data +\.\/data\/dev\.db$/m);
  });

  it('commands use the database of a running dev, and say so', async () => {
    assert.deepEqual(clientsIn(ofDev(await listed(noSettings))), ['dev-client']);
    const added = ofDev(await run(noSettings, 'client', 'add', 'robot', '--json'));
    const body = added.trim();
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`http://127.0.0.1:${dev.port}/token`, { method: 'POST', headers, body });
    assert.equal(reply.status, 200, 'the running service knows it');

    assert.match(ofDev(await run(noSettings, 'consumer', 'show', user)), /\buser +active\b/);
    assert.match(ofDev(await run(noSettings, 'audit')), /client\.added +robot/);
    assert.match(ofDev(await run(noSettings, 'keys', 'list')), /\bsigns\b/);
    assert.match(ofDev(await run(noSettings, 'migrate', '--plan')), /^nothing to do: /);
    assert.match(ofDev(await run(noSettings, 'scrub')), /./);
    assert.match(ofDev(await run(noSettings, 'backup', 'copy.db')), /is written and checked/);
    assert.equal(existsSync(`${folder}/data/vestibule.db`), false, 'none of them made another one');
  });

  it('commands use the other settings of a running dev, such as WEBHOOK_ALLOW', async () => {
    ofDev(await run(noSettings, 'webhook', 'add', 'http://127.0.0.1:9/hook', '--events', '*'));
    assert.match(ofDev(await run(noSettings, 'webhook', 'list')), /^whk_\w+ +active /m);
  });

  it('a missing MASTER_SECRET_FILE does not affect commands on the dev database', async () => {
    const elsewhere = { MASTER_SECRET_FILE: './not-there', LOG_LEVEL: 'no level' };
    assert.deepEqual(clientsIn(ofDev(await listed(elsewhere))), ['dev-client', 'robot']);
  });

  it('the settings that dev prints select the dev database', async () => {
    const [, printed = ''] = /^ *export (.*)$/m.exec(dev.welcome) ?? [];
    const settings = parseEnv(printed.replaceAll(' ', '\n')) as Settings;
    assert.equal(settings.DATABASE_URL, undefined, 'nobody takes it along to "serve"');
    assert.deepEqual(clientsIn(ofDev(await listed(settings))), ['dev-client', 'robot']);
    const { code, stdout, stderr } = await run({ ...settings, LOG_LEVEL: 'warn' }, 'check');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Settings: DATABASE_URL is not given, so the database is that of .*dev.*\n$/);
    assert.match(stdout, /^LOG_LEVEL +set +warn$/m);
    assert.match(stdout, /^The stored keys of the provider are /m);
  });

  it('check without settings checks the running dev, and says so', async () => {
    const { code, stdout, stderr } = await run(noSettings, 'check');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Settings: no settings are given, so those of .*dev.* are used\.\n$/);
    assert.match(stdout, new RegExp(`^BASE_URL +set +http://127\\.0\\.0\\.1:${dev.port}$`, 'm'));
  });

  it('DATABASE_URL or the settings of another service take precedence over a running dev', async () => {
    const file = `${folder}/real.env`;
    writeFileSync(file, 'API_AUDIENCE=another\nDATABASE_URL=\n');
    succeeded(await run(noSettings, '--settings', file, 'client', 'add', 'real'));
    for (const another of [{ IDP_ORIGIN: 'https://login.example.org' }, { API_AUDIENCE: 'another' }, usual])
      assert.deepEqual(clientsIn(succeeded(await listed(another))), ['real']);
    assert.deepEqual(clientsIn(ofDev(await listed(noSettings))), ['dev-client', 'robot']);
  });

  it('a state file with a foreign control address is ignored', async () => {
    const file = `${folder}/data/dev.json`;
    const left = readFileSync(file, 'utf8');
    writeFileSync(file, left.replace('http://127.0.0.1:', 'http://localhost:'));
    const { stdout, stderr } = await listed(noSettings);
    assert.deepEqual(clientsIn(stdout), ['real']);
    assert.match(stderr, /^Database: the one of "serve", because .* does not run any more\.\n$/);
    writeFileSync(file, left);
  });

  it('after dev was killed, commands use the database of serve and say why', async () => {
    const ended = new Promise((done) => dev.process.once('close', done));
    dev.process.kill('SIGKILL');
    await ended;
    const { code, stdout, stderr } = await listed(noSettings);
    assert.equal(code, 0);
    assert.deepEqual(clientsIn(stdout), ['real']);
    assert.match(stderr, /^Database: the one of "serve", because .* does not run any more\.\n$/);

    dev = await startDevelopment(folder, { OPS_PORT: '0' });
    assert.deepEqual(clientsIn(ofDev(await listed(noSettings))), ['dev-client', 'robot']);
  });

  it('serve in the same folder has its own database and refuses the example client of dev', async () => {
    const example = await getsToken(`http://127.0.0.1:${dev.port}`);
    assert.equal(example.status, 200, 'dev knows it');
    const [, printed = ''] = /^ *export (.*)$/m.exec(dev.welcome) ?? [];
    assert.equal(await dev.stop(), 0);
    assert.deepEqual(clientsIn(succeeded(await listed(noSettings))), ['real']);

    const settings = parseEnv(printed.replaceAll(' ', '\n')) as Settings;
    const inFolder = ['sh', '-c', 'cd "$0" && exec "$1" "$2" "$3"', folder];
    const service = await startThrough(inFolder, { ...settings, TEST_DIRECTORY: folder });
    const refused = await getsToken(service.url);
    assert.deepEqual([refused.status, await refused.text()], [401, '{}']);
    exampleClient = JSON.parse(
      succeeded(await run(noSettings, 'client', 'add', exampleClient.client_id, '--json')),
    );
    const status = async () => (await getsToken(service.url)).status;
    await until(status, (now) => now === 200, 'a client of its own is not taken');
    await service.stop();
  });
});
