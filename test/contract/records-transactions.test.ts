import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Refusal } from '../../src/base/errors.ts';
import type { Storage } from '../../src/storage/port.ts';
import { createTestDatabase, newSqliteFile, openedAt, sqliteDatabase } from '../support/databases.ts';
import { addOne, anyLine, insertAll, newRecord, noUsage } from '../support/records.ts';
import { databaseEngines } from '../support/service.ts';

const run = promisify(execFile);

for (const engine of databaseEngines) {
  describe(`transactions on records, by the storage contract on ${engine}`, () => {
    let storage: Storage;
    let neighbour: Storage;
    before(async () => {
      const database = await createTestDatabase(engine);
      storage = await database.open();
      neighbour = await database.open();
    });
    after(async () => {
      await neighbour.close();
      await storage.close();
    });
    const either = (index: number) => (index % 2 === 0 ? storage : neighbour).records;
    const registered = async () => {
      const { id } = await storage.consumers.register(`usr_${randomUUID()}`, 'user', openedAt);
      return id;
    };

    it('gives back what the work gives back', async () => {
      assert.deepEqual(await storage.records.write(async () => ({ any: 'thing' })), { any: 'thing' });
    });

    it('knows the caller whom it locks, and says when there is none', async () => {
      const id = await registered();
      const expected = { id, kind: 'user', state: 'active', registeredAt: openedAt };
      assert.deepEqual(await storage.records.write((write) => write.lockConsumer(id)), expected);
      assert.equal(await storage.records.write((write) => write.lockConsumer(`${id}x`)), null);
    });

    const failures = {
      'an error': new Error('on purpose'),
      'a refusal': new Refusal('storage_unavailable'),
      'an error with a code': Object.assign(new Error('on purpose'), { code: 'ECONNRESET' }),
      nothing: undefined,
    };
    for (const [what, failure] of Object.entries(failures)) {
      it(`undoes everything when the work throws ${what}, and throws that on`, async () => {
        const owner = await registered();
        const [kept, added] = [newRecord({ owner }), newRecord({ owner })];
        const [gone, key] = [newRecord({ owner }), Uint8Array.of(1)];
        await insertAll(storage.records, [kept, gone]);
        const work = storage.records.write(async (write) => {
          await write.lockConsumer(owner);
          await write.insert(added);
          await write.update({ ...kept, body: '{"changed":1}' });
          await write.remove('notes', gone.id);
          await write.setUsage(owner, 'notes', noUsage, { ...noUsage, records: 3 });
          await write.useIdempotencyKey(owner, 'notes', key, { requestDigest: key, recordId: 'x' }, 9e12);
          throw failure;
        });
        const thrown = await work.then(
          () => assert.fail('it was not thrown on'),
          (error: unknown) => error,
        );
        assert.equal(thrown, failure);
        assert.equal(await neighbour.records.find('notes', added.id), null);
        assert.deepEqual(await neighbour.records.find('notes', kept.id), kept);
        assert.deepEqual(await neighbour.records.find('notes', gone.id), gone);
        assert.deepEqual(await neighbour.records.usage(owner), new Map());
        const used = await storage.records.write((write) => write.findIdempotencyKey(owner, 'notes', key, 1));
        assert.equal(used, null);
      });
    }

    it('does nothing of it when something fails that nobody has waited for', async () => {
      const owner = await registered();
      const added = newRecord({ owner });
      const impossible = { ...noUsage, writes: null as never };
      const failing = {
        first: async () =>
          storage.records.write(async (write) => {
            void write.setUsage(owner, 'notes', noUsage, impossible);
            await write.insert(added);
          }),
        last: async () =>
          storage.records.write(async (write) => {
            await write.insert(added);
            void write.setUsage(owner, 'notes', noUsage, impossible);
          }),
        'and forgotten': async () =>
          storage.records.write(async (write) => {
            void write.setUsage(owner, 'notes', noUsage, impossible);
            await write.lockConsumer(owner).catch(() => {});
            await write.insert(added).catch(() => {});
          }),
      };
      for (const [when, write] of Object.entries(failing)) {
        await assert.rejects(write, /null/i, when);
        assert.equal(await neighbour.records.find('notes', added.id), null, when);
      }
      await insertAll(storage.records, [added]);
      assert.deepEqual(await neighbour.records.find('notes', added.id), added);
    });

    it('shows nothing to others before it is done', async () => {
      const record = newRecord();
      await storage.records.write(async (write) => {
        await write.insert(record);
        assert.equal(await storage.records.find('notes', record.id), null);
        assert.equal(await neighbour.records.find('notes', record.id), null);
        assert.deepEqual(await write.find('notes', record.id), record);
      });
      assert.deepEqual(await neighbour.records.find('notes', record.id), record);
    });

    it('lets others read while it takes its time', async () => {
      const record = newRecord();
      await insertAll(storage.records, [record]);
      const started = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      const writing = storage.records.write(async (write) => {
        await write.find('notes', record.id);
        await write.update({ ...record, revision: 'later' });
        started.resolve();
        await go.promise;
      });
      await started.promise;
      assert.deepEqual(await storage.records.find('notes', record.id), record);
      go.resolve();
      await writing;
      assert.equal((await storage.records.find('notes', record.id))?.revision, 'later');
    });

    it('counts exactly fifty when fifty at once read a count and write one more, through two connections', async () => {
      const owner = await registered();
      await Promise.all(Array.from({ length: 50 }, (_, index) => addOne(either(index), owner)));
      const usage = (await storage.records.usage(owner)).get('notes');
      assert.deepEqual(usage, { ...noUsage, records: 50, writes: 50 });
      assert.equal((await storage.records.ofOwner(owner, null, 100)).length, 50);
    });

    it('lets one of fifty change a record that all of them have read in the same revision', async () => {
      const record = newRecord();
      await insertAll(storage.records, [record]);
      const tries = Array.from({ length: 50 }, (_, index) =>
        either(index).write(async (write) => {
          const found = await write.find('notes', record.id);
          if (found === null || found.revision !== record.revision) return false;
          await write.update({ ...found, revision: `by ${index}` });
          return true;
        }),
      );
      assert.equal((await Promise.all(tries)).filter((isFirst) => isFirst).length, 1);
    });

    it('counts exactly when others release records while the owner adds some', async () => {
      const owner = await registered();
      await storage.records.write((write) =>
        write.setUsage(owner, 'notes', noUsage, { ...noUsage, records: 30 }),
      );
      const work = Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? either(index / 3).write((write) => write.releaseRecord(owner, 'notes'))
          : addOne(either(index), owner),
      );
      await Promise.all(work);
      assert.equal((await storage.records.usage(owner)).get('notes')?.records, 30 - 20 + 40);
    });

    it('finds nobody to lock once the caller was erased, and leaves nothing of it when both come at once', async () => {
      const owner = await registered();
      const add = (index: number) =>
        either(index).write(async (write) => {
          if ((await write.lockConsumer(owner)) === null) return;
          await write.insert(newRecord({ owner }));
        });
      const adding = Array.from({ length: 20 }, (_, index) => add(index));
      const erasing = neighbour.records.erase(owner, anyLine);
      await Promise.all([...adding, erasing]);
      assert.deepEqual(await storage.records.ofOwner(owner, null, 100), []);
      assert.equal(await storage.consumers.find(owner), null);
    });
  });
}

it('two processes on one SQLite file count exactly, too', async () => {
  const file = newSqliteFile();
  const storage = await sqliteDatabase(file).open();
  const { id } = await storage.consumers.register('usr_shared', 'user', openedAt);
  const program = new URL('../support/record-writer.ts', import.meta.url).pathname;
  const elsewhere = run(process.execPath, [program, file, id, '25']);
  const here = Promise.all(Array.from({ length: 25 }, () => addOne(storage.records, id)));
  await Promise.all([elsewhere, here]);
  assert.equal((await storage.records.usage(id)).get('notes')?.records, 50);
  await storage.close();
});
