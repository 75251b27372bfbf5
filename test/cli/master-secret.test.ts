import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { loadStorageConfig } from '../../src/config/load.ts';
import { endOf, exits, refused, succeeded } from '../support/commands/outcome.ts';
import { withToken } from '../support/http/request.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  addClient,
  fileOf,
  me,
  newSettings,
  runVestibule,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const secretFileOf = (settings: Settings) => `${fileOf(settings)}.secret`;

describe('master secret', () => {
  let provider: TestProvider;
  before(async () => {
    provider = await TestProvider.start();
  });
  after(() => provider.stop());

  /** The id that a service with these settings gives to the same caller. */
  async function idOfCaller(settings: Settings): Promise<string> {
    const service = await startService(settings);
    const answer = await withToken(service.url + me, await provider.token());
    await service.stop();
    assert.equal(answer.status, 200);
    return String(answer.json().id);
  }

  /** A database that has been in use, with its secret in a file. */
  async function usedDatabase(secret = newMasterSecret()): Promise<Settings> {
    const settings = await newSettings('sqlite', provider.settings);
    writeFileSync(secretFileOf(settings), secret, { mode: 0o600 });
    await idOfCaller(settings);
    return settings;
  }

  it('is created at the first start beside the SQLite file with mode 600, and survives a restart', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const id = await idOfCaller(settings);
    const file = secretFileOf(settings);
    const secret = readFileSync(file, 'utf8');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(secret, /^[A-Za-z0-9_-]{64}\n$/);
    assert.equal(await idOfCaller(settings), id, 'the same caller keeps its id over a restart');
    assert.equal(readFileSync(file, 'utf8'), secret);
  });

  it('is created in a new folder with mode 700', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const folder = `${settings.TEST_DIRECTORY}/data`;
    await addClient({ ...settings, DATABASE_URL: `sqlite:${folder}/vestibule.db` }, 'one');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('is created once when two commands start at once', async () => {
    const settings = await newSettings('sqlite', {});
    const [one, other] = await Promise.all([addClient(settings, 'one'), addClient(settings, 'other')]);
    const service = await startService({ ...settings, ...provider.settings });
    for (const [id, secret] of Object.entries({ one, other })) {
      const answer = await fetch(`${service.url}/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: id, client_secret: secret }),
      });
      assert.equal(answer.status, 200, id);
    }
    await service.stop();
  });

  it('is not recreated if missing beside an existing database', async () => {
    const settings = await usedDatabase();
    const file = secretFileOf(settings);
    rmSync(file);
    for (const command of [['serve'], ['client', 'list'], ['keys', 'list']]) {
      refused(await endOf(settings, command), /vestibule\.db\.secret" does not\. Restore that file/);
    }
    assert.throws(() => statSync(file), /ENOENT/, 'still missing');
  });

  it('serve refuses a wrong secret', async () => {
    const settings = await usedDatabase();
    const says = /made with another master secret\. Set MASTER_SECRET or MASTER_SECRET_FILE/;
    refused(await endOf({ ...settings, MASTER_SECRET: newMasterSecret() }, ['serve']), says);
  });

  it('client add refuses a wrong secret', async () => {
    const settings = await usedDatabase();
    const outcome = await runVestibule(
      { ...settings, MASTER_SECRET: newMasterSecret() },
      'client',
      'add',
      'stillborn',
    );
    refused(outcome, /master secret/i);
    assert.deepEqual(JSON.parse(succeeded(await runVestibule(settings, 'client', 'list', '--json'))), []);
  });

  it('MASTER_SECRET_FILE gives the same secret as MASTER_SECRET, with or without a line end', async () => {
    const secret = newMasterSecret();
    const settings = await usedDatabase(secret);
    const file = `${settings.TEST_DIRECTORY}/secret.txt`;
    writeFileSync(file, `${secret}\r\n`);
    const ids = [
      await idOfCaller(settings),
      await idOfCaller({ ...settings, MASTER_SECRET_FILE: file }),
      await idOfCaller({ ...settings, MASTER_SECRET: secret }),
    ];
    assert.equal(new Set(ids).size, 1);
  });

  it('a short or malformed secret is refused and not printed', async () => {
    const wrong = [
      randomUUID(),
      randomBytes(31).toString('hex'),
      randomBytes(31).toString('base64url'),
      'all our passwords are known to the three people of operations',
    ];
    for (const [index, secret] of wrong.entries()) {
      const { MASTER_SECRET: _, ...settings } = await newSettings('sqlite', provider.settings);
      const file = `${settings.TEST_DIRECTORY}/wrong.txt`;
      writeFileSync(file, `${secret}    \n`);
      // Only the first case starts the service; a command starts faster.
      const command = index === 0 ? ['serve'] : ['client', 'add', 'one'];
      const fromFile = await endOf({ ...settings, MASTER_SECRET_FILE: file }, command);
      rmSync(file);
      refused(fromFile, /\(MASTER_SECRET_FILE\) must be 256 random bits: .*openssl rand/);
      assert.throws(
        () => loadStorageConfig({ MASTER_SECRET: secret }),
        ({ message }: Error) => {
          assert.match(message, /MASTER_SECRET must be 256 random bits: .*openssl rand/);
          assert.equal(message.includes(secret), false);
          return true;
        },
      );
      assert.equal((fromFile.stdout + fromFile.stderr).includes(secret), false);
    }
  });

  it('a random secret is accepted in hex, base64 and base64url', () => {
    const forms = [
      randomBytes(32).toString('hex'),
      randomBytes(32).toString('hex').toUpperCase(),
      randomBytes(32).toString('base64'),
      randomBytes(48).toString('base64'),
      randomBytes(48).toString('base64url'),
    ];
    for (const secret of forms) assert.doesNotThrow(() => loadStorageConfig({ MASTER_SECRET: secret }));
  });

  it('is required for PostgreSQL, and never generated', async () => {
    const { MASTER_SECRET: _, ...settings } = await newSettings('postgres', provider.settings);
    const says = /MASTER_SECRET is not set, and with PostgreSQL every process must have the same one/;
    exits(1, await endOf(settings, ['serve']), says);
  });

  it('an unreadable MASTER_SECRET_FILE is named', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const missing = `${settings.TEST_DIRECTORY}/nowhere.txt`;
    const says = /nowhere\.txt" \(MASTER_SECRET_FILE\) cannot be read \(ENOENT\)/;
    refused(await endOf({ ...settings, MASTER_SECRET_FILE: missing }, ['serve']), says);
  });

  it('a folder that cannot be written to is named', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const inTheWay = `${settings.TEST_DIRECTORY}/a-file`;
    writeFileSync(inTheWay, '');
    const says = /master secret cannot be written to "[^"]+a-file\/vestibule\.db\.secret".*MASTER_SECRET/;
    refused(await endOf({ ...settings, DATABASE_URL: `sqlite:${inTheWay}/vestibule.db` }, ['serve']), says);
  });

  // In /proc, mkdir fails with ENOENT although the parent exists.
  it('a folder that cannot be created is named at once, for secret and database', async () => {
    const settings = await newSettings('sqlite', {
      ...provider.settings,
      DATABASE_URL: 'sqlite:/proc/none/deep/vestibule.db',
    });
    const folder = /"\/proc\/none" does not exist and cannot be created \(ENOENT\)\. /;
    refused(await endOf(settings, ['serve']), new RegExp(`master secret cannot .*${folder.source}Make the`));
    const ofDatabase = new RegExp(
      `vestibule\\.db" \\(DATABASE_URL\\) cannot be used: .*${folder.source}Name a file`,
    );
    refused(await endOf({ ...settings, MASTER_SECRET: newMasterSecret() }, ['serve']), ofDatabase);
  });
});
