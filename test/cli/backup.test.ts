import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { insertAll, register } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newRecord } from '../support/databases/records.ts';
import { SmallDisk } from '../support/faults/small-disk.ts';
import { addClient, fileOf, newSettings, runVestibule, type Settings } from '../support/services/service.ts';

describe('vestibule backup of an SQLite file', () => {
  let settings: Settings;
  const file = () => fileOf(settings);
  const run = (...parameters: string[]) => runVestibule(settings, ...parameters);
  before(async () => {
    settings = await newSettings('sqlite', {});
    await addClient(settings, 'machine');
    const storage = await plainSql(settings).open();
    await register(storage, 'usr_somebody', 'user', 1);
    await insertAll(storage, [newRecord(), newRecord(), newRecord()]);
    await storage.close();
  });

  it('writes a complete checked copy with mode 600 whatever the umask, and no other file', async () => {
    const folder = newDirectory();
    const umask = process.umask(0);
    try {
      const said = JSON.parse(succeeded(await run('backup', `${folder}/copy.db`, '--json')));
      assert.equal(said.rows.records, 3);
      assert.equal(said.rows.consumers, 1);
      assert.equal(said.bytes, statSync(`${folder}/copy.db`).size);
    } finally {
      process.umask(umask);
    }
    assert.deepEqual(readdirSync(folder), ['copy.db']);
    assert.equal(statSync(`${folder}/copy.db`).mode & 0o777, 0o600);
    const left = readdirSync(dirname(file())).filter((name) => /-wal|-shm/.test(name));
    assert.deepEqual(left, []);
    using copy = new DatabaseSync(`${folder}/copy.db`, { readOnly: true });
    assert.equal(copy.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
    assert.equal(copy.prepare('select count(*) as count from clients').get()?.count, 1);
  });

  it('warns that the backup needs the master secret, which it does not contain', async () => {
    const copy = `${newDirectory()}/copy.db`;
    assert.match(
      succeeded(await run('backup', copy)),
      /^The backup ".*" is written and checked: [\d,]+ bytes, 3 records of 1 caller, in .* except the master secret\./,
    );
    const secret = readFileSync(`${file()}.secret`, 'utf8').trim();
    assert.equal(readFileSync(copy).includes(secret), false);
  });

  it('replaces a file only with --force', async () => {
    const copy = `${newDirectory()}/copy.db`;
    writeFileSync(copy, 'something of value', { mode: 0o644 });
    refused(await run('backup', copy), /exists already\. Name another file, or use --force/);
    assert.equal(readFileSync(copy, 'utf8'), 'something of value');
    succeeded(await run('backup', copy, '--force'));
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(copy)), ['copy.db']);
  });

  it('backup and restore to a full disk name the disk and leave no file', async (t) => {
    const disk = new SmallDisk(1);
    t.after(() => disk.remove());
    const copy = `${newDirectory()}/copy.db`;
    succeeded(await run('backup', copy));
    disk.fill();
    const left = readdirSync(disk.folder);
    const backedUp = await run('backup', `${disk.folder}/copy.db`);
    refused(backedUp, /disk\/copy\.db" cannot be written: the disk is full/);
    const place = {
      ...settings,
      DATABASE_URL: `sqlite:${disk.folder}/restored.db`,
      MASTER_SECRET_FILE: `${file()}.secret`,
    };
    const restored = await runVestibule(place, 'restore', copy, '--without-erasures');
    refused(restored, /disk\/restored\.db" cannot be written: the disk is full/);
    assert.deepEqual(readdirSync(disk.folder), left);
  });

  it('--force does not replace a pipe, a folder or a link', async () => {
    const folder = newDirectory();
    const pipe = `${folder}/pipe`;
    execFileSync('mkfifo', [pipe]);
    refused(await run('backup', pipe, '--force'), /exists and is not a file\. Name another file\./);
    refused(await run('backup', folder, '--force'), /exists and is not a file/);
    assert.ok(statSync(pipe).isFIFO());
    symlinkSync(`${folder}/nowhere`, `${folder}/link`);
    refused(await run('backup', `${folder}/link`), /exists already/);
    assert.deepEqual(readdirSync(folder).toSorted(), ['link', 'pipe']);
  });

  it('refuses the files of the database itself as target, also through a link', async () => {
    const link = `${newDirectory()}/link.db`;
    symlinkSync(file(), link);
    const before = readFileSync(file());
    const names = ['', '-wal', '-shm', '-journal', '.secret', '.erasures'].map((end) => `${file()}${end}`);
    for (const name of [...names, link])
      refused(await run('backup', name, '--force'), /belongs to the database itself/);
    assert.deepEqual(readFileSync(file()), before);
  });

  it('a failed backup leaves no file', async () => {
    const folder = newDirectory();
    refused(await run('backup', `${folder}/missing/copy.db`), /cannot be written \(ENOENT\)/);
    const nothing = { ...settings, DATABASE_URL: `sqlite:${folder}/none.db` };
    refused(await runVestibule(nothing, 'backup', `${folder}/copy.db`), /does not exist/);
    const damaged = `${folder}/damaged.db`;
    writeFileSync(damaged, readFileSync(file()).fill(7, 8_192, 60_000));
    const ofDamaged = { ...settings, DATABASE_URL: `sqlite:${damaged}` };
    refused(await runVestibule(ofDamaged, 'backup', `${folder}/copy.db`), /damaged/);
    const left = readdirSync(folder).filter((name) => name.startsWith('copy'));
    assert.deepEqual(left, []);
  });
});

it('vestibule backup refuses PostgreSQL, names pg_dump and writes no file', async () => {
  const settings = await newSettings('postgres', {});
  const copy = `${newDirectory()}/copy.dump`;
  refused(await runVestibule(settings, 'backup', copy), /pg_dump: see "Backup" in docs\/operations\.md/);
  assert.equal(existsSync(copy), false);
});
