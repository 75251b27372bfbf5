import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ParentLink, Storage } from '../../src/storage/port.ts';
import { apply, insertAll, register, setUsage } from '../support/databases/batches.ts';
import { openedAt, openTwice, storageKinds } from '../support/databases/databases.ts';
import { newEvent, newRecord, noUsage } from '../support/databases/records.ts';

const link = { level: 1, isTallied: false, ownedBy: 'creator', onDelete: 'cascade' } as const;
const links: readonly ParentLink[] = [
  { ...link, child: 'papers', collection: 'rooms' },
  { ...link, child: 'lines', collection: 'papers', level: 2 },
];
const declared = links.map(({ child }) => ({ name: child, index: [], hasParent: true }));

for (const engine of storageKinds)
  describe(`the storage contract of records under a deleted one on ${engine}`, () => {
    let storage: Storage;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ storage, neighbour } = opened);
    });

    it('they are deleted in steps on all levels, and leave the counts of their owners', async () => {
      await storage.records.prepare([{ name: 'rooms', index: [] }, ...declared], links);
      const owners = ['usr_a', 'usr_b', 'usr_c'];
      for (const owner of owners) await register(storage, owner, 'user', openedAt);
      const [gone, kept] = [randomUUID(), randomUUID()];
      const under = (collection: string, parentId: string, count: number) =>
        Array.from({ length: count }, (_, index) =>
          newRecord({ collection, owner: owners[index % 3] as string, parentId }),
        );
      const papers = under('papers', gone, 25);
      const others = under('papers', kept, 6);
      const lines = papers.slice(0, 10).flatMap(({ id }) => under('lines', id, 3));
      const spared = under('lines', others[0]?.id as string, 3);
      await insertAll(storage, [...papers, ...others, ...lines, ...spared]);
      const all = [...papers, ...others, ...lines, ...spared];
      const countsOf = (records: typeof all, collection: string) =>
        owners.map(
          (owner) => records.filter((one) => one.owner === owner && one.collection === collection).length,
        );
      for (const collection of ['papers', 'lines'])
        for (const [index, owner] of owners.entries())
          await setUsage(storage, owner, collection, {
            ...noUsage,
            records: countsOf(all, collection)[index] as number,
          });
      await apply(storage, {
        childWork: [{ child: 'papers', parentId: gone, what: 'delete', newOwner: null, at: openedAt }],
      });

      const told: string[] = [];
      const step = () =>
        storage.records.workOnChildren(10, ({ collection, id, owner }) => {
          told.push(id);
          return newEvent(1, { type: `${collection}.deleted`, collection, recordId: id, owner });
        });
      const left = async (collection: string) =>
        (await neighbour.records.ofCollection(collection, '', 100)).map(({ id }) => id).sort();
      assert.equal(await step(), true);
      assert.equal((await left('papers')).length, papers.length + others.length - 10);
      for (let steps = 0; await step(); steps += 1) assert.ok(steps < 100, 'it does not come to an end');
      const idsOf = (records: typeof all) => records.map(({ id }) => id).sort();
      assert.deepEqual([await left('papers'), await left('lines')], [idsOf(others), idsOf(spared)]);
      assert.deepEqual(told.toSorted(), idsOf([...papers, ...lines]), 'each once');
      for (const collection of ['papers', 'lines']) {
        const usages = await Promise.all(owners.map((owner) => neighbour.records.usage(owner)));
        const left = usages.map((usage) => usage.get(collection)?.records);
        assert.deepEqual(left, countsOf([...others, ...spared], collection));
      }
      assert.equal(await neighbour.records.childWork(), 0);
    });
  });
