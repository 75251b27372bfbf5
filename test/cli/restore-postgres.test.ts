import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { deriveKeyring } from '../../src/auth/keyring.ts';
import { insertAll, register } from '../support/batches.ts';
import { newMasterSecret } from '../support/master-secret.ts';
import { newDirectory, refused, succeeded } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { createDatabase } from '../support/postgres.ts';
import { newRecord } from '../support/records.ts';
import { newSettings, runVestibule, type Settings } from '../support/service.ts';

const erasuresOf = (output: string) => JSON.parse(output).erasures;
const redone = { known: 1, unreadable: 0, later: 1, done: 1 };

describe('vestibule restore, of a PostgreSQL database that something else has restored', () => {
  let used: Settings;
  let restored: Settings;
  before(async () => {
    used = await newSettings('postgres', { ERASURE_LOG: `${newDirectory()}/erasures` });
    restored = { ...used, DATABASE_URL: await createDatabase(), ERASURE_LOG: '' };
    // Both as they were at the backup.
    for (const settings of [used, restored]) await fill(settings);
    succeeded(await runVestibule(used, 'consumer', 'erase', 'usr_gone', '--yes'));
  });

  it('refuses while nothing knows who was erased since', async () => {
    refused(
      await runVestibule(restored, 'restore'),
      /^vestibule: Nothing here knows who was erased after the backup, and/,
    );
  });

  it('asks the database that was in use, and erases again who was erased there', async () => {
    const place = ['--erasures', String(used.DATABASE_URL), '--json'];
    assert.deepEqual(erasuresOf(succeeded(await runVestibule(restored, 'restore', ...place))), redone);
    refused(await runVestibule(restored, 'consumer', 'show', 'usr_gone'), /There is no caller/);
    assert.match(succeeded(await runVestibule(restored, 'consumer', 'show', 'usr_stays')), /notes +1/);
    const [row] = await plainSql(restored).query("select count(*) from records where owner = 'usr_gone'");
    assert.equal(Number(row?.count), 0);
  });

  it('or the log of erasures, which every process writes', async () => {
    const other = { ...used, DATABASE_URL: await createDatabase() };
    await fill(other);
    assert.deepEqual(erasuresOf(succeeded(await runVestibule(other, 'restore', '--json'))), redone);
  });
});

/** Stands for PostgreSQL's program, which has to be as new as the server. */
const standIn = `#!/bin/sh
case "$*" in
  *--table=documents*) cat "$PGAPPNAME.documents";;
  *) echo "$*" >> "$PGAPPNAME.started";;
esac
`;

describe('vestibule restore, of a dump', () => {
  const notes = `${newDirectory()}/notes`;
  const dump = `${newDirectory()}/copy.dump`;
  const masterSecret = newMasterSecret();
  let settings: Settings;
  before(async () => {
    const programs = newDirectory();
    mkdirSync(`${programs}/bin`);
    writeFileSync(`${programs}/bin/pg_restore`, standIn);
    chmodSync(`${programs}/bin/pg_restore`, 0o755);
    writeFileSync(dump, 'PGDMP and so on');
    const mark = Buffer.from(deriveKeyring(masterSecret).check).toString('hex');
    const rows = `declarations\t{}\t\\\\x00\nmaster-secret\t\t\\\\x${mark}\n`;
    writeFileSync(
      `${notes}.documents`,
      `--\nCOPY public.documents (name, content, mac) FROM stdin;\n${rows}\\.\n\n-- done\n`,
    );
    settings = await newSettings('postgres', {
      MASTER_SECRET: masterSecret,
      PATH: `${programs}/bin:/usr/bin:/bin`,
      PGAPPNAME: notes,
    });
  });

  it('refuses another master secret before anything is restored', async () => {
    const other = { ...settings, MASTER_SECRET: newMasterSecret() };
    refused(
      await runVestibule(other, 'restore', dump, '--without-erasures'),
      /^vestibule: The backup was made with another master secret\./,
    );
    const copy = `${newDirectory()}/copy.db`;
    writeFileSync(copy, 'something else');
    refused(await runVestibule(settings, 'restore', copy, '--without-erasures'), /is not a dump of pg_dump/);
    assert.equal(existsSync(`${notes}.started`), false);
  });

  it('has pg_restore do it, all or nothing, into an empty database', async () => {
    assert.deepEqual(await plainSql(settings).tables(), []);
    succeeded(await runVestibule(settings, 'restore', dump, '--without-erasures', '--dry-run'));
    assert.deepEqual(await plainSql(settings).tables(), [], 'nothing was changed');
    succeeded(await runVestibule(settings, 'restore', dump, '--without-erasures'));
    const database = new URL(String(settings.DATABASE_URL)).pathname.slice(1);
    assert.equal(
      readFileSync(`${notes}.started`, 'utf8'),
      `--no-owner --no-privileges --single-transaction --exit-on-error --dbname=${database} ${dump}\n`,
    );
    refused(
      await runVestibule(settings, 'restore', dump, '--without-erasures'),
      /is not empty, and a backup is restored only where there is nothing/,
    );
  });

  it('says what is left to be done when it fails after pg_restore', async () => {
    const place = {
      ...settings,
      DATABASE_URL: await createDatabase(),
      ERASURE_LOG: `${newDirectory()}/no/log`,
    };
    refused(
      await runVestibule(place, 'restore', dump, '--without-erasures'),
      /\(ERASURE_LOG\) cannot be written .* nobody was erased again yet: before the service starts, run "npx vestibule restore" without/,
    );
  });
});

async function fill(settings: Settings): Promise<void> {
  const storage = await plainSql(settings).open();
  for (const owner of ['usr_gone', 'usr_stays']) {
    await register(storage, owner, 'user', 1);
    await insertAll(storage, [newRecord({ owner })]);
  }
  await storage.close();
  const counted =
    'insert into usage select owner, collection, count(*), 0, 0, 0, 0 from records group by 1, 2';
  await plainSql(settings).query(counted);
}
