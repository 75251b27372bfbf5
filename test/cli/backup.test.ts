import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { insertAll, register } from '../support/batches.ts';
import { newDirectory, refused, succeeded } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { newRecord } from '../support/records.ts';
import { addClient, fileOf, newSettings, runVestibule, type Settings } from '../support/service.ts';
import { SmallDisk } from '../support/small-disk.ts';

describe('vestibule backup, of an SQLite file', () => {
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

  it('writes a whole and checked copy that only its owner can read, whatever the umask, and leaves nothing else', async () => {
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
    assert.deepEqual(
      readdirSync(dirname(file())).filter((name) => /-wal|-shm/.test(name)),
      [],
    );
    using copy = new DatabaseSync(`${folder}/copy.db`, { readOnly: true });
    assert.equal(copy.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
    assert.equal(copy.prepare('select count(*) as count from clients').get()?.count, 1);
  });

  it('says in words that it is as secret as the database, and that the master secret is not in it', async () => {
    const copy = `${newDirectory()}/copy.db`;
    assert.match(
      succeeded(await run('backup', copy)),
      /^The backup ".*" is written and checked: \d+ bytes, 3 records of 1 callers, in .* but the master secret/,
    );
    const secret = readFileSync(`${file()}.secret`, 'utf8').trim();
    assert.equal(readFileSync(copy).includes(secret), false);
  });

  it('replaces a file only when it is told to, and then as a whole', async () => {
    const copy = `${newDirectory()}/copy.db`;
    writeFileSync(copy, 'something of value', { mode: 0o644 });
    refused(await run('backup', copy), /is there already\. Name another file, or say --force/);
    assert.equal(readFileSync(copy, 'utf8'), 'something of value');
    succeeded(await run('backup', copy, '--force'));
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(copy)), ['copy.db']);
  });

  it('says of a full disk which one it is, as does a restore, and leaves nothing on it', async (t) => {
    const disk = new SmallDisk(1);
    t.after(() => disk.remove());
    const copy = `${newDirectory()}/copy.db`;
    succeeded(await run('backup', copy));
    disk.fill();
    const left = readdirSync(disk.folder);
    refused(
      await run('backup', `${disk.folder}/copy.db`),
      /disk\/copy\.db" cannot be written: the disk is full/,
    );
    const place = {
      ...settings,
      DATABASE_URL: `sqlite:${disk.folder}/restored.db`,
      MASTER_SECRET_FILE: `${file()}.secret`,
    };
    refused(
      await runVestibule(place, 'restore', copy, '--without-erasures'),
      /disk\/restored\.db" cannot be written: the disk is full/,
    );
    assert.deepEqual(readdirSync(disk.folder), left);
  });

  it('never puts a file in the place of what is none', async () => {
    const folder = newDirectory();
    const pipe = `${folder}/pipe`;
    execFileSync('mkfifo', [pipe]);
    refused(await run('backup', pipe, '--force'), /is there and is no file\. Name another one\./);
    refused(await run('backup', folder, '--force'), /is there and is no file/);
    assert.ok(statSync(pipe).isFIFO());
    symlinkSync(`${folder}/nowhere`, `${folder}/link`);
    refused(await run('backup', `${folder}/link`), /is there already/);
    assert.deepEqual(readdirSync(folder).toSorted(), ['link', 'pipe']);
  });

  it('refuses what belongs to the database itself, by whatever name', async () => {
    const link = `${newDirectory()}/link.db`;
    symlinkSync(file(), link);
    const before = readFileSync(file());
    for (const name of [
      file(),
      `${file()}-wal`,
      `${file()}-shm`,
      `${file()}-journal`,
      `${file()}.secret`,
      `${file()}.erasures`,
      link,
    ])
      refused(await run('backup', name, '--force'), /belongs to the database itself/);
    assert.deepEqual(readFileSync(file()), before);
  });

  it('leaves no file behind when it cannot be done', async () => {
    const folder = newDirectory();
    refused(await run('backup', `${folder}/missing/copy.db`), /cannot be written \(ENOENT\)/);
    const nothing = { ...settings, DATABASE_URL: `sqlite:${folder}/none.db` };
    refused(await runVestibule(nothing, 'backup', `${folder}/copy.db`), /is not there/);
    const damaged = `${folder}/damaged.db`;
    writeFileSync(damaged, readFileSync(file()).fill(7, 8_192, 60_000));
    const ofDamaged = { ...settings, DATABASE_URL: `sqlite:${damaged}` };
    refused(await runVestibule(ofDamaged, 'backup', `${folder}/copy.db`), /damaged/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('copy')),
      [],
    );
  });
});

/** Stands for PostgreSQL's programs, which have to be as new as the server: notes how it was started. */
const standIn = `#!/bin/sh
{ echo "$0 $*"; env; } >> "$PGAPPNAME"
case "$0 $*" in
  *pg_dump*) for one; do case "$one" in --file=*) printf 'PGDMP copy' > "\${one#--file=}";; esac; done;;
  *--list*) echo '3; 0 1 TABLE DATA public records vestibule';;
esac
`;

describe('vestibule backup, of a PostgreSQL database', () => {
  const url = 'postgres://vestibule:hunter%2D2@127.0.0.1:1/data?sslmode=disable';
  const withPrograms = async (text: string | null): Promise<{ settings: Settings; notes: string }> => {
    const folder = newDirectory();
    mkdirSync(`${folder}/bin`);
    if (text !== null) {
      for (const name of ['pg_dump', 'pg_restore']) {
        writeFileSync(`${folder}/bin/${name}`, text);
        chmodSync(`${folder}/bin/${name}`, 0o755);
      }
    }
    const notes = `${folder}/notes`;
    const own = { DATABASE_URL: url, PATH: `${folder}/bin${text === null ? '' : ':/usr/bin:/bin'}` };
    return { settings: await newSettings('postgres', { ...own, PGAPPNAME: notes }), notes };
  };

  it('has pg_dump write it, with neither the password nor the master secret for others to see', async () => {
    const { settings, notes } = await withPrograms(standIn);
    const copy = `${newDirectory()}/copy.dump`;
    const said = JSON.parse(succeeded(await runVestibule(settings, 'backup', copy, '--json')));
    assert.equal(said.bytes, 'PGDMP copy'.length);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const lines = readFileSync(notes, 'utf8').split('\n');
    const started = lines.filter((line) => /\/pg_(dump|restore) /.test(line));
    assert.match(String(started[0]), /pg_dump --format=custom --no-owner --no-privileges --file=\S+\.part$/);
    assert.equal(
      started.some((line) => line.includes('hunter')),
      false,
    );
    for (const line of [
      'PGPASSWORD=hunter-2',
      'PGHOST=127.0.0.1',
      'PGPORT=1',
      'PGUSER=vestibule',
      'PGDATABASE=data',
    ])
      assert.ok(lines.includes(line), line);
    assert.equal(
      lines.some((line) => line.includes(String(settings.MASTER_SECRET))),
      false,
    );
  });

  it('says the exact line where there is no pg_dump, without the password', async () => {
    const { settings } = await withPrograms(null);
    const outcome = await runVestibule(settings, 'backup', `${newDirectory()}/copy.dump`);
    refused(
      outcome,
      /pg_dump is not on PATH.*umask 077 && pg_dump --format=custom .*'postgres:\/\/vestibule@127\.0\.0\.1:1\/data\?sslmode=disable'/,
    );
    assert.doesNotMatch(outcome.stderr, /hunter/);
  });

  it('says what pg_dump said when it could not, and leaves no file', async () => {
    const { settings } = await withPrograms('#!/bin/sh\necho "server version mismatch" >&2\nexit 1\n');
    const copy = `${newDirectory()}/copy.dump`;
    refused(
      await runVestibule(settings, 'backup', copy),
      /pg_dump could not do it .*server version mismatch/,
    );
    assert.equal(existsSync(copy), false);
    assert.deepEqual(
      readdirSync(dirname(copy)).filter((name) => name.endsWith('.part')),
      [],
    );
  });
});
