import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openAdministration } from '../../src/compose/administration.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { examined, failsWith, healthyProvider, passesWith, warnsWith } from '../support/commands/examined.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { insertAll } from '../support/databases/batches.ts';
import { freePort } from '../support/run/ports.ts';
import { postgresUrl } from '../support/run/surroundings.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { fileOf, type Settings } from '../support/services/service.ts';

const { healthy } = healthyProvider();

/** A database as a first start leaves it. */
async function used(settings: Settings): Promise<Settings> {
  const { storage } = await openAdministration(loadStorageConfig(settings), 'test');
  await storage.close();
  return settings;
}

describe('vestibule doctor, database', () => {
  it('creates nothing without a database', async () => {
    const settings = await healthy();
    const before = readdirSync(String(settings.TEST_DIRECTORY));
    await passesWith(settings, /database +SQLite file ".*" will be made at the first start/);
    assert.deepEqual(readdirSync(String(settings.TEST_DIRECTORY)), before);
  });

  it('changes no file of an existing database', async () => {
    const settings = await used(await healthy());
    const folder = String(settings.TEST_DIRECTORY);
    const state = () =>
      readdirSync(folder).map((name) => {
        const { mtimeMs, mode } = statSync(`${folder}/${name}`);
        return { name, mtimeMs, mode, content: readFileSync(`${folder}/${name}`, 'base64') };
      });
    const before = state();
    await passesWith(settings, /schema +version \d+, the newest/);
    assert.deepEqual(state(), before);
  });

  it('reports a file that is not a database', async () => {
    const settings = await healthy();
    writeFileSync(fileOf(settings), 'all kinds of text, but no database\n'.repeat(100));
    writeFileSync(`${fileOf(settings)}.secret`, newMasterSecret());
    const says =
      /^FAIL {2}database +the file is not an SQLite database; .*another format\. Name an SQLite file in DATABASE_URL/;
    await failsWith(settings, says);
  });

  it('reports a missing master secret beside its database', async () => {
    const settings = await used(await healthy());
    rmSync(`${fileOf(settings)}.secret`);
    await failsWith(settings, /^FAIL {2}master secret .*vestibule\.db\.secret" does not\. Restore that file/);
  });

  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`reports a wrong master secret (${engine})`, async () => {
      const settings = await used(await healthy({}, engine));
      const says =
        /^FAIL {2}master secret +another; expected the master secret that the database was made with\. Set MASTER_SECRET/;
      await failsWith({ ...settings, MASTER_SECRET: newMasterSecret() }, says);
    });
  }

  it('warns about a world-readable master secret, and accepts a group-readable one', async () => {
    const settings = await used(await healthy());
    const file = `${settings.TEST_DIRECTORY}/master-secret`;
    writeFileSync(file, readFileSync(`${fileOf(settings)}.secret`));
    const given = { ...settings, MASTER_SECRET_FILE: file };
    chmodSync(file, 0o644);
    const says =
      /^WARN {2}master secret +every user .*\(MASTER_SECRET_FILE\); expected a file that only the user of the service can read\. Run: chmod o= /;
    await warnsWith(given, says);
    chmodSync(file, 0o640);
    await warnsWith(given);
    chmodSync(file, 0o644);
    writeFileSync(file, newMasterSecret());
    await failsWith(given, /^FAIL {2}master secret +another;/);
  });

  it('warns about PostgreSQL without an erasure log', async () => {
    const settings = await healthy({}, 'postgres');
    await warnsWith(settings, /ERASURE_LOG is not set/);
    await warnsWith({ ...settings, ERASURE_LOG: `${newDirectory()}/erasures` });
  });

  it('warns about a world-writable data folder', async () => {
    const settings = await used(await healthy());
    const folder = dirname(fileOf(settings));
    chmodSync(folder, 0o777);
    await warnsWith(settings, /data folder .*chmod o-w/);
    chmodSync(folder, 0o770);
    await warnsWith(settings);
  });

  it('reports a schema of a newer release', async () => {
    const settings = await used(await healthy());
    const database = new DatabaseSync(fileOf(settings));
    database.exec('insert into schema_migrations (version, applied_at, oldest) values (9999, 0, 9999)');
    database.close();
    const says = /^FAIL {2}schema +version 9999; expected version \d+ or less\. A newer release/;
    await failsWith(settings, says);
  });

  it('accepts an expanded schema of a newer release', async () => {
    const settings = await used(await healthy());
    const database = new DatabaseSync(fileOf(settings));
    database.exec('insert into schema_migrations (version, applied_at, oldest) values (9999, 0, 1)');
    database.close();
    await passesWith(settings, /schema +version 9999, of a newer release; this release .* may run beside it/);
  });

  it('reports an empty database as to be migrated, and does not migrate it', async () => {
    const settings = await healthy({}, 'postgres');
    for (let times = 0; times < 2; times += 1) {
      await passesWith(settings, /schema +the database is empty; the next start/);
    }
  });

  it('reports an unreachable PostgreSQL, a wrong password and a missing database', async () => {
    const secret = { MASTER_SECRET: newMasterSecret() };
    const at = async (change: (url: URL) => void) => {
      const url = new URL(await postgresUrl());
      change(url);
      return healthy({ ...secret, DATABASE_URL: url.href });
    };
    const port = String(await freePort());
    await failsWith(
      await at((url) => {
        url.port = port;
      }),
      /^FAIL {2}database +no connection to PostgreSQL \(ECONNREFUSED\); .*Nothing listens there.*DATABASE_URL/,
    );
    await failsWith(
      await at((url) => {
        url.password = 'wrong-password';
      }),
      /^FAIL {2}database .*28P01; .*does not know this user or password/,
    );
    await failsWith(
      await at((url) => {
        url.pathname = '/no_such_database';
      }),
      /^FAIL {2}database .*3D000; .*no such database\. Create it/,
    );
  });

  it('reports records that do not fit the declarations', async () => {
    const settings = await healthy({ COLLECTIONS_DIR: newDirectory() });
    const { storage } = await openAdministration(loadStorageConfig(settings), 'test');
    const times = { createdAt: 0, updatedAt: 0 };
    const record = {
      collection: 'notes',
      id: 'one',
      owner: 'usr_x',
      parentId: null,
      state: null,
      revision: '1',
      body: '{}',
      ...times,
    };
    await insertAll(storage, [record]);
    await storage.close();
    const said = /records +notes: breaking: declared no more, 1 of 1 record would fail; /;
    await failsWith(settings, said);
  });

  it('does not print the database password', async () => {
    const url = 'postgres://vestibule:hunter-4711@127.0.0.1:1/vestibule';
    const findings = await examined(await healthy({ DATABASE_URL: url, MASTER_SECRET: newMasterSecret() }));
    assert.doesNotMatch(JSON.stringify(findings), /hunter-4711/);
  });
});
