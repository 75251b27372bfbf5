import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { watchChanges } from '../../src/storage/changes.ts';
import type { Read } from '../../src/storage/engine.ts';
import { watchedTables } from '../../src/storage/port.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';

const folder = newDirectory();
const [file, copy] = [`${folder}/database`, `${folder}/copy`];

function inFile(sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}

it('a restored copy of the database with the same change count is noticed', async (t) => {
  let failed = 0;
  let looks = 0;
  const read: Read = async (sql) => {
    try {
      using database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare(sql).all();
      looks += 1;
      return rows.map((row) => Object.values(row));
    } catch (error) {
      failed += 1;
      throw error;
    }
  };
  const haveLooked = async (count: number) => {
    const before = looks;
    const looked = () => looks;
    await until(looked, (now) => now >= before + count, 'nobody looks');
  };
  const columns = watchedTables.map((name) => `${name} integer not null default 0`);
  inFile(`create table changes (${columns.join()}); insert into changes (clients) values (8)`);
  copyFileSync(file, copy);
  inFile('update changes set clients = 10');
  const heard: (readonly string[])[] = [];
  const stop = await watchChanges(read, systemClock, (changed) => heard.push([...changed]));
  t.after(stop);
  await haveLooked(2);
  assert.equal(heard.length, 0, 'control: nothing changes');

  rmSync(file);
  const failures = () => failed;
  await until(failures, (count) => count > 0, 'nobody notices that the database is gone');
  using behind = new DatabaseSync(copy);
  behind.exec('update changes set clients = clients + 2');
  renameSync(copy, file);
  const changes = () => heard.length;
  await until(changes, (count) => count === 1, 'the changes of the copy are not heard of');
  await haveLooked(2);
  assert.deepEqual(heard, [watchedTables], 'once is enough, and it may be about anything');
});
