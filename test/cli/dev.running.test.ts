import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { endOf, exits, failed, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { callAs, type Development, shellIn, startDevelopment } from '../support/services/development.ts';

const noSettings = {};
const token = (user: string) => ['dev', 'token', '--user', user];

describe('other commands beside a running dev', () => {
  const folder = newDirectory();
  let dev: Development;
  before(async () => {
    dev = await startDevelopment(folder, { OPS_PORT: '0' });
  });
  after(() => dev?.stop());

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
    assert.equal(
      ids[1],
      ids[2],
      'capitals and blanks around a name make no difference, as on the login page',
    );
  });

  it('an empty, too long or missing user name is refused', async () => {
    refused(await endOf(noSettings, token(' '), folder), /Enter a user name/);
    refused(await endOf(noSettings, token('x'.repeat(65)), folder), /at most 64 characters/);
    exits(2, await endOf(noSettings, ['dev', 'token'], folder), /--user/);
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
    const report = succeeded(await endOf(noSettings, ['doctor'], folder));
    assert.match(report, new RegExp(`^pass {2}settings +.*dev.*http://127\\.0\\.0\\.1:${dev.port}\\b`, 'm'));
    assert.match(report, /^pass {2}ops port .*taken by this service, which is ready$/m);
    assert.match(report, /No check failed/);
  });

  it('explain without settings uses those of dev, and says so on standard error', async () => {
    const file = `${folder}/token.txt`;
    await shellIn(folder, `npx vestibule dev token --user ada > ${file}`);
    assert.match(await shellIn(folder, 'npx vestibule explain < token.txt'), /^Accepted\./);
    assert.match(
      await shellIn(folder, 'npx vestibule explain < token.txt 2>&1 >/dev/null'),
      /those of .*dev/,
    );
    const data = await shellIn(folder, 'npx vestibule explain --json < token.txt 2>/dev/null');
    assert.equal(JSON.parse(data).accepted, true);
    // test/after searches the files of the tests for tokens.
    writeFileSync(file, '');
  });

  it('given settings take precedence over a running dev', async () => {
    const settings = { IDP_ORIGIN: 'http://127.0.0.1:1', API_AUDIENCE: 'another' };
    const { stdout } = await endOf(settings, ['doctor'], folder);
    assert.match(stdout, /^pass {2}settings +all settings are valid$/m);
    assert.match(stdout, /^FAIL {2}.*127\.0\.0\.1:1\b/m);
  });

  it('incomplete settings are a mistake, not replaced by those of dev', async () => {
    const { stdout, code } = await endOf({ API_AUDIENCE: 'another' }, ['doctor'], folder);
    assert.equal(code, 1);
    assert.match(stdout, /^FAIL {2}settings +IDP_ORIGIN is not set/m);
  });

  it('a second dev on the same ports is refused and told where the first one runs', async () => {
    const ports = ['--port', String(dev.port), '--provider-port', String(dev.providerPort)];
    failed(
      await endOf(noSettings, ['dev', ...ports], folder),
      new RegExp(`"npx vestibule dev" already runs in this folder, at http://127\\.0\\.0\\.1:${dev.port}\\.`),
    );
    failed(await endOf(noSettings, ['dev', ...ports], newDirectory()), /Port \d+ on 127\.0\.0\.1 is taken/);
  });

  it('a running dev is not found from another folder', async () => {
    const elsewhere = newDirectory();
    refused(await endOf(noSettings, token('ada'), elsewhere), /no "npx vestibule dev" runs in this folder/);
    const { stdout, code } = await endOf(noSettings, ['doctor'], elsewhere);
    assert.equal(code, 1);
    assert.match(stdout, /IDP_ORIGIN is not set[\s\S]*no "npx vestibule dev" runs in this folder/);
  });

  it('a killed dev is reported as not running, and the next one is found', async () => {
    const ended = new Promise((done) => dev.process.once('close', done));
    dev.process.kill('SIGKILL');
    await ended;
    refused(await endOf(noSettings, token('ada'), folder), /does not run any more/);
    const { stdout, code } = await endOf(noSettings, ['doctor'], folder);
    assert.equal(code, 1);
    assert.match(stdout, /IDP_ORIGIN is not set[\s\S]*does not run any more/);

    dev = await startDevelopment(folder, { OPS_PORT: '0' });
    assert.equal((await callAs(dev, 'ada', '/me')).status, 200);
  });

  it('a state file with another secret or damaged content is treated as not running', async () => {
    const file = `${folder}/data/dev.json`;
    const left = readFileSync(file, 'utf8');
    const { secret } = JSON.parse(left);
    writeFileSync(file, left.replace(secret, 'the secret of one that ran before'));
    refused(await endOf(noSettings, token('ada'), folder), /does not run any more/);
    writeFileSync(file, 'half of a fi');
    refused(await endOf(noSettings, token('ada'), folder), /does not run any more/);
    writeFileSync(file, left);
    assert.equal((await callAs(dev, 'ada', '/me')).status, 200);
  });
});
