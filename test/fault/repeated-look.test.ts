import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { RepeatedLook } from '../../src/base/repeated-look.ts';
import { watchChanges } from '../../src/storage/changes.ts';
import type { Read } from '../../src/storage/engine.ts';
import { watchedTables } from '../../src/storage/port.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { MovableClock } from '../support/services/movable-clock.ts';

/** A repeated look that counts its runs and failures. */
function started(look: (count: number) => Promise<void>) {
  const clock = new MovableClock();
  // A busy machine takes more than the millisecond that a test leaves.
  clock.holdTime(true);
  const seen = { looks: 0, failures: 0 };
  const repeated = new RepeatedLook({
    look: () => {
      seen.looks += 1;
      return look(seen.looks);
    },
    everyMs: 1_000,
    onFailure: () => {
      seen.failures += 1;
    },
    clock,
  });
  repeated.start();
  return { repeated, seen, clock };
}

describe('a repeated look', () => {
  it('runs at its interval and on request, and not after stop', async () => {
    const { repeated, seen, clock } = started(async () => {});
    clock.advance(999);
    assert.equal(seen.looks, 0);
    clock.advance(1);
    assert.equal(seen.looks, 1);
    await repeated.look();
    assert.equal(seen.looks, 2);
    await repeated.stop();
    clock.advance(10_000);
    await repeated.look();
    assert.equal(seen.looks, 2);
  });

  it('runs once more after any number of requests during a run', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { repeated, seen } = started((count) => (count === 1 ? promise : Promise.resolve()));
    const calls = [repeated.look(), repeated.look(), repeated.look()];
    assert.equal(seen.looks, 1);
    resolve();
    await Promise.all(calls);
    assert.equal(seen.looks, 2);
  });

  it('runs after a request at any moment of the end of a run', async () => {
    for (let steps = 0; steps < 10; steps += 1) {
      const { repeated, seen } = started(async () => {});
      void repeated.look();
      for (let step = 0; step < steps; step += 1) await null;
      const before = seen.looks;
      void repeated.look();
      await turn();
      assert.equal(seen.looks, before + 1, `${steps} steps after it began`);
    }
  });

  it('reports a failure once until it has succeeded again', async () => {
    let isWorking = false;
    const { repeated, seen } = started(async () => assert.ok(isWorking));
    for (let count = 0; count < 3; count += 1) await repeated.look();
    assert.equal(seen.failures, 1);
    isWorking = true;
    await repeated.look();
    isWorking = false;
    await repeated.look();
    assert.deepEqual(seen, { looks: 5, failures: 2 });
  });
});

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
