import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Storage } from '../../src/storage/port.ts';
import { openTwice, storageKinds, type TestDatabase } from '../support/databases/databases.ts';
import { until } from '../support/run/polling.ts';

const minute = 60_000;

for (const kind of storageKinds) {
  describe(`the storage contract of leases on ${kind}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let neighbour: Storage;
    openTwice(kind, (opened) => {
      ({ database, storage, neighbour } = opened);
    });

    it('go to one of twenty concurrent holders, and to no other while it renews', async () => {
      const tries = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? storage : neighbour).leases.take('crowd', `holder ${index}`, minute),
      );
      const taken = await Promise.all(tries);
      assert.equal(taken.filter(Boolean).length, 1);
      const holder = `holder ${taken.indexOf(true)}`;
      assert.equal(await neighbour.leases.take('crowd', holder, minute), true);
      assert.equal(await storage.leases.take('crowd', 'another', minute), false);
    });

    it('of different names are independent', async () => {
      assert.equal(await storage.leases.take('one name', 'one', minute), true);
      assert.equal(await neighbour.leases.take('another name', 'other', minute), true);
      assert.equal(await neighbour.leases.take('one name', 'other', minute), false);
    });

    it('expire, and the former holder cannot renew', async () => {
      assert.equal(await storage.leases.take('short', 'one', 300), true);
      await until(() => neighbour.leases.take('short', 'other', minute), Boolean, 'the lease does not end');
      assert.equal(await storage.leases.take('short', 'one', minute), false);
    });

    it('are free at once when released, by their holder only', async () => {
      await storage.leases.take('given back', 'one', minute);
      await neighbour.leases.release('given back', 'other');
      assert.equal(await neighbour.leases.take('given back', 'other', minute), false);
      await storage.leases.release('given back', 'one');
      assert.equal(await neighbour.leases.take('given back', 'other', minute), true);
    });

    it('from a clock that was far ahead can be taken over', async () => {
      await storage.leases.take('ahead', 'one', minute);
      await database.query("update leases set ends_at = ends_at + 3600000 where name = 'ahead'");
      assert.equal(await neighbour.leases.take('ahead', 'other', minute), true);
    });
  });
}
