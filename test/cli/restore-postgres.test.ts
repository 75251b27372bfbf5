import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { insertAll, register } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { newRecord } from '../support/databases/records.ts';
import { newSettings, runVestibule, type Settings } from '../support/services/service.ts';

const erasuresOf = (output: string) => JSON.parse(output).erasures;
const redone = { known: 1, unreadable: 0, later: 1, done: 1 };

describe('vestibule restore after pg_restore on PostgreSQL', () => {
  let used: Settings;
  let restored: Settings;
  before(async () => {
    used = await newSettings('postgres', { ERASURE_LOG: `${newDirectory()}/erasures` });
    restored = { ...used, DATABASE_URL: await createDatabase(), ERASURE_LOG: '' };
    // Both databases have the state of the backup.
    for (const settings of [used, restored]) await fill(settings);
    succeeded(await runVestibule(used, 'consumer', 'erase', 'usr_gone', '--yes'));
  });

  it('refuses a file argument and names pg_restore', async () => {
    refused(
      await runVestibule(restored, 'restore', 'copy.dump', '--without-erasures'),
      /pg_restore, then run "npx vestibule restore" without a file: see .*docs\/operations\.md/,
    );
  });

  it('refuses to run without a source of later erasures', async () => {
    refused(
      await runVestibule(restored, 'restore'),
      /^vestibule: There is no source of erasures after the backup, and/,
    );
  });

  it('repeats the erasures found in the former database', async () => {
    const place = ['--erasures', String(used.DATABASE_URL), '--json'];
    assert.deepEqual(erasuresOf(succeeded(await runVestibule(restored, 'restore', ...place))), redone);
    refused(await runVestibule(restored, 'consumer', 'show', 'usr_gone'), /There is no caller/);
    assert.match(succeeded(await runVestibule(restored, 'consumer', 'show', 'usr_stays')), /notes +1/);
    const [row] = await plainSql(restored).query("select count(*) from records where owner = 'usr_gone'");
    assert.equal(Number(row?.count), 0);
  });

  it('repeats the erasures found in the erasure log', async () => {
    const other = { ...used, DATABASE_URL: await createDatabase() };
    await fill(other);
    assert.deepEqual(erasuresOf(succeeded(await runVestibule(other, 'restore', '--json'))), redone);
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
