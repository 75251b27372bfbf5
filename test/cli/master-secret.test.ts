import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { loadStorageConfig } from '../../src/config/load.ts';
import { newMasterSecret } from '../support/master-secret.ts';
import { endOf, refused, succeeded } from '../support/outcome.ts';
import { TestProvider } from '../support/provider.ts';
import { withToken } from '../support/request.ts';
import {
  addClient,
  fileOf,
  me,
  newSettings,
  runVestibule,
  type Settings,
  startService,
} from '../support/service.ts';

const secretFileOf = (settings: Settings) => `${fileOf(settings)}.secret`;

describe('the master secret', () => {
  let provider: TestProvider;
  before(async () => {
    provider = await TestProvider.start();
  });
  after(() => provider.stop());

  /** The id that a service with these settings gives to always the same caller. */
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

  it('is made at the first start beside the SQLite file, for its owner only, and stays', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const id = await idOfCaller(settings);
    const file = secretFileOf(settings);
    const secret = readFileSync(file, 'utf8');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(secret, /^[A-Za-z0-9_-]{64}\n$/);
    assert.equal(await idOfCaller(settings), id, 'the same caller keeps its id over a restart');
    assert.equal(readFileSync(file, 'utf8'), secret);
  });

  it('is made in a folder that only its owner can look into, where there was none', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const folder = `${settings.TEST_DIRECTORY}/data`;
    await addClient({ ...settings, DATABASE_URL: `sqlite:${folder}/vestibule.db` }, 'one');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('is made once when two commands start at once', async () => {
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

  it('is not made anew when it is missing beside a database that is there', async () => {
    const settings = await usedDatabase();
    const file = secretFileOf(settings);
    rmSync(file);
    for (const command of [['serve'], ['client', 'list'], ['keys', 'list']]) {
      refused(await endOf(settings, command), /vestibule\.db\.secret" is not\. Restore that file/);
    }
    assert.throws(() => statSync(file), /ENOENT/, 'still missing');
  });

  it('that is another one than that of the database is refused by the service', async () => {
    const settings = await usedDatabase();
    refused(
      await endOf({ ...settings, MASTER_SECRET: newMasterSecret() }, ['serve']),
      /made with another master secret\. Set MASTER_SECRET or MASTER_SECRET_FILE/,
    );
  });

  it('that is another one cannot be used to add a client, whose secret would never work', async () => {
    const settings = await usedDatabase();
    refused(
      await runVestibule({ ...settings, MASTER_SECRET: newMasterSecret() }, 'client', 'add', 'stillborn'),
      /master secret/i,
    );
    assert.deepEqual(JSON.parse(succeeded(await runVestibule(settings, 'client', 'list', '--json'))), []);
  });

  it('is read from MASTER_SECRET_FILE, with or without a line end, and is the same as MASTER_SECRET', async () => {
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

  it('that is too short or of another form is refused and not repeated, wherever it comes from', async () => {
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
      // The service refuses one of them, and a command, which starts faster, the others.
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

  it('that is random is taken in each of its usual forms', () => {
    const forms = [
      randomBytes(32).toString('hex'),
      randomBytes(32).toString('hex').toUpperCase(),
      randomBytes(32).toString('base64'),
      randomBytes(48).toString('base64'),
      randomBytes(48).toString('base64url'),
    ];
    for (const secret of forms) assert.doesNotThrow(() => loadStorageConfig({ MASTER_SECRET: secret }));
  });

  it('must be given for PostgreSQL, and nothing is made up', async () => {
    const { MASTER_SECRET: _, ...settings } = await newSettings('postgres', provider.settings);
    const { code, stderr } = await endOf(settings, ['serve']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /MASTER_SECRET is not set, and with PostgreSQL every process must have the same one/,
    );
  });

  it('in a file that cannot be read is named by that file', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const missing = `${settings.TEST_DIRECTORY}/nowhere.txt`;
    refused(
      await endOf({ ...settings, MASTER_SECRET_FILE: missing }, ['serve']),
      /nowhere\.txt" \(MASTER_SECRET_FILE\) cannot be read \(ENOENT\)/,
    );
  });

  it('in a folder that cannot be written to is refused with that folder', async () => {
    const settings = await newSettings('sqlite', provider.settings);
    const inTheWay = `${settings.TEST_DIRECTORY}/a-file`;
    writeFileSync(inTheWay, '');
    refused(
      await endOf({ ...settings, DATABASE_URL: `sqlite:${inTheWay}/vestibule.db` }, ['serve']),
      /master secret cannot be written to "[^"]+a-file\/vestibule\.db\.secret".*MASTER_SECRET/,
    );
  });

  // In /proc the system says of a folder that is to be made that it does not exist, although the one above it does.
  it('and the database in a folder that cannot be made are refused at once, with that folder', async () => {
    const settings = await newSettings('sqlite', {
      ...provider.settings,
      DATABASE_URL: 'sqlite:/proc/none/deep/vestibule.db',
    });
    const folder = /"\/proc\/none" is not there and cannot be made \(ENOENT\)\. /;
    refused(await endOf(settings, ['serve']), new RegExp(`master secret cannot .*${folder.source}Make the`));
    refused(
      await endOf({ ...settings, MASTER_SECRET: newMasterSecret() }, ['serve']),
      new RegExp(`vestibule\\.db" \\(DATABASE_URL\\) cannot be used: .*${folder.source}Name a file`),
    );
  });
});
