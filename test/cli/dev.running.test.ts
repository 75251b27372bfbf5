import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import {
  endOf,
  exits,
  failed,
  newDirectory,
  type Outcome,
  refused,
  succeeded,
} from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { callAs, type Development, shellIn, startDevelopment } from '../support/services/development.ts';
import { type Settings, startThrough } from '../support/services/service.ts';

const noSettings = {};
/** The default database of `serve`. */
const usual = { DATABASE_URL: 'sqlite:./data/vestibule.db' };
const token = (user: string) => ['dev', 'token', '--user', user];

describe('other commands beside a running dev', () => {
  const folder = newDirectory();
  let dev: Development;
  let user = '';
  let exampleClient = { client_id: '', client_secret: '' };
  const run = (settings: Settings, ...parameters: string[]) => endOf(settings, parameters, folder);
  /** Checks the line that names the database. Returns the output. */
  const ofDev = ({ code, stdout, stderr }: Outcome): string => {
    assert.equal(code, 0, stderr);
    const url = `http://127\\.0\\.0\\.1:${dev.port}`;
    const says = new RegExp(`^Database: that of the "npx vestibule dev" that runs at ${url}\\..*\\n$`);
    assert.match(stderr, says);
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

  /** Commands take the database of `serve` and say why, and there is no token of dev. */
  const isNotRunning = async () => {
    refused(await run(noSettings, ...token('ada')), /does not run any more/);
    const { stdout, stderr, code } = await listed(noSettings);
    assert.equal(code, 0);
    assert.deepEqual(clientsIn(stdout), ['real']);
    assert.match(stderr, /^Database: the one of "serve", because .* does not run any more\.\n$/);
  };
  const getsToken = (url: string) =>
    fetch(`${url}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exampleClient),
    });

  it('"dev token" prints a working token of the user', async () => {
    const { status, body } = await callAs(dev, 'ada', '/me');
    assert.equal(status, 200);
    assert.equal(body.kind, 'user');
    assert.equal(body.subject, 'ada');
    assert.deepEqual(body.scopes, ['consumer']);
  });

  it('any name is a user, compared without case and surrounding blanks', async () => {
    const ids = [];
    for (const user of ['ada', "'Somebody Else'", "'  somebody else '"])
      ids.push((await callAs(dev, user, '/me')).body.id);
    assert.notEqual(ids[0], ids[1]);
    assert.equal(ids[1], ids[2], 'as on the login page');
  });

  it('an empty, too long or missing user name is refused', async () => {
    refused(await run(noSettings, ...token(' ')), /Enter a user name/);
    refused(await run(noSettings, ...token('x'.repeat(65))), /at most 64 characters/);
    exits(2, await run(noSettings, 'dev', 'token'), /--user/);
  });

  it('dev issues a token only for the secret in its state file', async () => {
    const { control, secret } = JSON.parse(readFileSync(`${folder}/data/dev.json`, 'utf8'));
    const ask = (method: string, path: string, authorization: string) =>
      fetch(`${control}${path}`, { method, headers: { authorization } });
    for (const wrong of ['', 'Bearer ', `Bearer ${secret}x`, `Bearer ${'x'.repeat(secret.length)}`, secret]) {
      const reply = await ask('POST', '/token?user=ada', wrong);
      assert.equal(reply.status, 403, wrong);
      assert.doesNotMatch(await reply.text(), /eyJ/);
      assert.equal((await ask('GET', '', wrong)).status, 403);
    }
    assert.match(await (await ask('POST', '/token?user=ada', `Bearer ${secret}`)).text(), /^eyJ/);
  });

  it('doctor without settings uses those of dev, and says so', async () => {
    const report = succeeded(await run(noSettings, 'doctor'));
    assert.match(report, new RegExp(`^pass {2}settings +.*dev.*http://127\\.0\\.0\\.1:${dev.port}\\b`, 'm'));
    assert.match(report, /^pass {2}ops port .*taken by this service, which is ready$/m);
    assert.match(report, /No check failed/);
  });

  it('explain without settings uses those of dev, and says so on standard error', async () => {
    const file = `${folder}/token.txt`;
    await shellIn(folder, `npx vestibule dev token --user ada > ${file}`);
    assert.match(await shellIn(folder, 'npx vestibule explain < token.txt'), /^Accepted\./);
    const errors = await shellIn(folder, 'npx vestibule explain < token.txt 2>&1 >/dev/null');
    assert.match(errors, /those of .*dev/);
    const data = await shellIn(folder, 'npx vestibule explain --json < token.txt 2>/dev/null');
    assert.equal(JSON.parse(data).accepted, true);
    // test/after searches the files of the tests for tokens.
    writeFileSync(file, '');
  });

  it('given settings take precedence over a running dev', async () => {
    const settings = { IDP_ORIGIN: 'http://127.0.0.1:1', API_AUDIENCE: 'another' };
    const { stdout } = await run(settings, 'doctor');
    assert.match(stdout, /^pass {2}settings +all settings are valid$/m);
    assert.match(stdout, /^FAIL {2}.*127\.0\.0\.1:1\b/m);
  });

  it('incomplete settings are a mistake, not replaced by those of dev', async () => {
    const { stdout, code } = await run({ API_AUDIENCE: 'another' }, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, /^FAIL {2}settings +IDP_ORIGIN is not set/m);
  });

  it('a second dev on the same ports is refused and told where the first one runs', async () => {
    const ports = ['--port', String(dev.port), '--provider-port', String(dev.providerPort)];
    const says = new RegExp(
      `"npx vestibule dev" already runs in this folder, at http://127\\.0\\.0\\.1:${dev.port}\\.`,
    );
    failed(await run(noSettings, 'dev', ...ports), says);
    failed(await endOf(noSettings, ['dev', ...ports], newDirectory()), /Port \d+ on 127\.0\.0\.1 is taken/);
  });

  it('a running dev is not found from another folder', async () => {
    const elsewhere = newDirectory();
    refused(await endOf(noSettings, token('ada'), elsewhere), /no "npx vestibule dev" runs in this folder/);
    const { stdout, code } = await endOf(noSettings, ['doctor'], elsewhere);
    assert.equal(code, 1);
    assert.match(stdout, /IDP_ORIGIN is not set[\s\S]*no "npx vestibule dev" runs in this folder/);
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

  it('a state file with another control address or secret, or damaged content, is ignored', async () => {
    const file = `${folder}/data/dev.json`;
    const left = readFileSync(file, 'utf8');
    const { secret } = JSON.parse(left);
    for (const state of [
      left.replace('http://127.0.0.1:', 'http://localhost:'),
      left.replace(secret, 'the secret of one that ran before'),
      'half of a fi',
    ]) {
      writeFileSync(file, state);
      await isNotRunning();
    }
    writeFileSync(file, left);
    assert.equal((await callAs(dev, 'ada', '/me')).status, 200);
  });

  it('after dev was killed, commands use the database of serve and say why; the next dev is found', async () => {
    const ended = new Promise((done) => dev.process.once('close', done));
    dev.process.kill('SIGKILL');
    await ended;
    await isNotRunning();
    const { stdout, code } = await run(noSettings, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, /IDP_ORIGIN is not set[\s\S]*does not run any more/);

    dev = await startDevelopment(folder, { OPS_PORT: '0' });
    assert.deepEqual(clientsIn(ofDev(await listed(noSettings))), ['dev-client', 'robot']);
    assert.equal((await callAs(dev, 'ada', '/me')).status, 200);
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
