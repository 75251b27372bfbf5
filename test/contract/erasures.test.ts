import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { ErasureLog } from '../../src/storage/erasure-log.ts';
import type { Erasure } from '../../src/storage/port.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { insertAll, register } from '../support/databases/batches.ts';
import { anyKeys, createTestDatabase, openedAt } from '../support/databases/databases.ts';
import { erasureOf, newEvent, newLine, newRecord } from '../support/databases/records.ts';
import { databaseEngines } from '../support/services/service.ts';

for (const engine of databaseEngines) {
  describe(`erasures on ${engine}`, () => {
    it('are recorded in the transaction with an id each, and in the external log before the commit', async () => {
      const database = await createTestDatabase(engine);
      const noted: Erasure[] = [];
      const append = async (erasure: Erasure) => {
        noted.push(erasure);
      };
      const storage = await createStorage(await database.openEngine(), openedAt, {
        ...anyKeys,
        erasures: { ...anyKeys.erasures, append },
      });
      await register(storage, 'usr_gone', 'user', openedAt);
      await storage.records.erase('usr_gone', null, erasureOf('usr_gone'));
      assert.equal(await storage.records.erase('usr_gone', null, erasureOf('usr_gone')), null);
      await register(storage, 'usr_gone', 'user', openedAt);
      await storage.records.erase('usr_gone', newLine(), erasureOf('usr_gone'));
      const listed = await storage.erasures.list('', 10);
      assert.deepEqual(new Set(listed.map(plain)), new Set(noted.map(plain)));
      assert.equal(listed.length, 2, 'one who was never there is not noted');
      assert.deepEqual(Buffer.from(listed[0]?.digest ?? []), anyKeys.erasures.digestOf('usr_gone'));
      assert.deepEqual(await storage.erasures.list(listed[0]?.id ?? '', 10), listed.slice(1));
      await storage.close();
    });

    it('fail when the external log cannot be written', async () => {
      const database = await createTestDatabase(engine);
      const refusal = new Refusal('storage_unavailable', { detail: 'no room' });
      const storage = await createStorage(await database.openEngine(), openedAt, {
        ...anyKeys,
        erasures: { ...anyKeys.erasures, append: () => Promise.reject(refusal) },
      });
      await register(storage, 'usr_stays', 'user', openedAt);
      await insertAll(storage, [newRecord({ owner: 'usr_stays' })]);
      await assert.rejects(storage.records.erase('usr_stays', null, erasureOf('usr_stays')), refusal);
      assert.notEqual(await storage.consumers.find('usr_stays'), null);
      assert.equal((await storage.records.ofOwner('usr_stays', null, 10)).length, 1);
      assert.deepEqual(await storage.erasures.list('', 10), []);
      await storage.close();
    });

    it('can be repeated after a restore with the same id', async () => {
      const database = await createTestDatabase(engine);
      const storage = await database.open();
      await register(storage, 'usr_back', 'user', openedAt);
      await register(storage, 'usr_other', 'user', openedAt);
      assert.deepEqual(await storage.erasures.owners('', 10), ['usr_back', 'usr_other']);
      assert.deepEqual(await storage.erasures.owners('usr_back', 10), ['usr_other']);
      const erasure = { id: 'a', digest: new Uint8Array(32), at: 7 };
      const line = newLine();
      const again = await storage.records.eraseAgain('usr_back', line, erasureOf('usr_back'), erasure);
      assert.notEqual(again, null);
      const others = ['b', 'a', 'c'].map((id) => ({ ...erasure, id }));
      await storage.erasures.add(others);
      const listed = await storage.erasures.list('', 10);
      assert.equal(listed.map(({ id }) => id).join(), 'a,b,c');
      assert.deepEqual(await storage.erasures.owners('', 10), ['usr_other']);
      await storage.close();
    });
  });

  describe(`the event log on ${engine} after a restore`, () => {
    it('continues far above all earlier positions, and detects readers ahead of the backup', async () => {
      const storage = await (await createTestDatabase(engine)).open();
      const { events } = storage;
      await register(storage, 'usr_one', 'user', openedAt);
      await storage.records.erase('usr_one', null, erasureOf('usr_one'));
      const { last: before } = await events.extent();
      assert.equal(await events.hasGivenUpTo(before, before), true);
      assert.equal(await events.hasGivenUpTo(before + 1, before), false);
      await events.leap(openedAt);
      const { last } = await events.extent();
      assert.ok(last > before + 1e9);
      assert.equal(await events.hasGivenUpTo(before, last), true);
      assert.equal(await events.hasGivenUpTo(before + 1, last), false, 'it was given, and not to this log');
      assert.equal(await events.hasGivenUpTo(last, last), true);
      await register(storage, 'usr_two', 'user', openedAt);
      await storage.records.erase('usr_two', null, newEvent(1, { owner: 'usr_two' }));
      assert.equal((await events.extent()).last, last + 1, 'and one by one from there');
      await events.leap(openedAt);
      assert.ok((await events.extent()).last > last + 1e9, 'every time');
      await storage.close();
    });
  });
}

describe('the erasure log', () => {
  const erasure = (number: number): Erasure => ({
    id: `0190d0b4-0000-7000-8000-${String(number).padStart(12, '0')}`,
    digest: new Uint8Array(32).fill(number),
    at: openedAt + number,
  });

  it('is readable by its owner only and returns what was written', async () => {
    const log = new ErasureLog(`${newDirectory()}/erasures`);
    log.create();
    assert.deepEqual(log.read(), { erasures: [], unreadable: 0 });
    await log.append(erasure(1));
    await log.append(erasure(2), erasure(3));
    log.create();
    assert.deepEqual(log.read(), { erasures: [1, 2, 3].map(erasure), unreadable: 0 });
    assert.equal(statSync(log.file).mode & 0o777, 0o600);
    assert.equal(readFileSync(log.file, 'utf8').split('\n').length, 4);
  });

  it('loses only the line of an interrupted write', async () => {
    const log = new ErasureLog(`${newDirectory()}/erasures`);
    await log.append(erasure(1));
    appendFileSync(log.file, readFileSync(log.file, 'utf8').slice(0, 40));
    await log.append(erasure(2));
    assert.deepEqual(log.read(), { erasures: [erasure(1), erasure(2)], unreadable: 1 });
  });

  it('is refused in one sentence when it cannot be written or read', async () => {
    const log = new ErasureLog(`${newDirectory()}/missing/erasures`);
    assert.throws(() => log.create(), /ERASURE_LOG\) cannot be written \(ENOENT\)/);
    assert.throws(() => log.read(), /cannot be read \(ENOENT\)/);
    await assert.rejects(log.append(erasure(1)), { code: 'storage_unavailable' });
  });
});

function plain({ id, digest, at }: Erasure): string {
  return JSON.stringify([id, Buffer.from(digest).toString('hex'), at]);
}
