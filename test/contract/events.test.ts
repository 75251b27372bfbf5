import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import type { NewEvent, Storage, StoredEvent } from '../../src/storage/port.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { inIndex, listOf } from '../../src/storage/stores/events.ts';
import { apply, insertAll, register } from '../support/databases/batches.ts';
import {
  anyKeys,
  createTestDatabase,
  openedAt,
  openTwice,
  postgresDatabase,
  storageKinds,
} from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { erasureOf, newEvent, newLine, newRecord, oddTexts } from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';

const everything = { after: 0, until: Number.MAX_SAFE_INTEGER, owner: null, limit: 10_000 };

for (const engine of storageKinds) {
  describe(`the storage contract of the event log on ${engine}`, () => {
    let storage: Storage;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ storage, neighbour } = opened);
    });

    const all = () => neighbour.events.list(everything);
    const lastOf = async () => (await storage.events.extent()).last;
    const append = (...events: NewEvent[]) => apply(storage, { events });
    /** The events since a position, without their positions, which must be consecutive. */
    const since = async (before: number): Promise<readonly NewEvent[]> => {
      const found = await neighbour.events.list({ ...everything, after: before });
      return found.map(({ position, ...event }, index) => {
        assert.equal(position, before + index + 1);
        return event;
      });
    };

    it('is empty at first', async () => {
      assert.deepEqual(await storage.events.extent(), { first: 0, last: 0 });
      assert.deepEqual(await all(), []);
    });

    it('gives each event the next position, in the order of the batch, and keeps it unchanged', async () => {
      const events = oddTexts.map((text, number) =>
        newEvent(number, { data: JSON.stringify({ text }), owner: text, recordId: text }),
      );
      const erasure = erasureOf('usr_gone');
      await append(...events);
      await append(erasure);
      assert.deepEqual(await since(0), [...events, erasure]);
      assert.deepEqual(await storage.events.extent(), { first: 1, last: events.length + 1 });
    });

    it('lists the events between two positions, of all owners or one', async () => {
      const start = await lastOf();
      const [one, other] = [randomUUID(), randomUUID()];
      await append(...[one, other, one, other, one].map((owner, number) => newEvent(number, { owner })));
      const listed = async (query: Partial<typeof everything>) =>
        (await storage.events.list({ ...everything, after: start, ...query })).map(
          ({ position }) => position - start,
        );
      assert.deepEqual(await listed({}), [1, 2, 3, 4, 5]);
      assert.deepEqual(await listed({ owner: one as never }), [1, 3, 5]);
      assert.deepEqual(await listed({ owner: one as never, until: start + 4 }), [1, 3]);
      assert.deepEqual(await listed({ owner: one as never, after: start + 1, limit: 1 }), [3]);
      assert.deepEqual(await listed({ owner: 'usr_nobody' as never }), []);
      assert.deepEqual(await listed({ after: start + 5 }), []);
    });

    it('separates owners with the same prefix, and finds owners that are not pseudonyms', async () => {
      const start = await lastOf();
      const owners = ['usr_abcdefgh1', 'usr_abcdefgh2', 'usr', '', ...oddTexts];
      await append(...owners.map((owner, number) => newEvent(number, { owner })));
      for (const owner of owners) {
        const found = await storage.events.list({ ...everything, after: start, owner: owner as never });
        const expected = owners.filter((one) => one === owner);
        assert.deepEqual([...found.map((event) => event.owner)], expected);
      }
    });

    it('finds the events of one owner by an index, in order of position', async () => {
      const plainEngine = await (await createTestDatabase(engine)).openEngine();
      const log = await createStorage(plainEngine, openedAt, anyKeys);
      const owners = Array.from({ length: 200 }, () => `usr_${randomUUID()}`);
      for (let count = 0; count < 10; count += 1)
        await apply(log, { events: owners.map((owner, number) => newEvent(number, { owner })) });
      const [owner = ''] = owners;
      const { sql, parameters } = listOf(
        plainEngine.reader,
        [0, 10_000, owner, inIndex(owner)],
        50,
      ).compile();
      // PostgreSQL runs this vacuum itself after so many changes.
      if (engine !== 'sqlite') await plainEngine.database.executeQuery(CompiledQuery.raw('analyze events'));
      const how = engine === 'sqlite' ? 'explain query plan' : 'explain';
      const explained = CompiledQuery.raw(`${how} ${sql}`, [...parameters]);
      const { rows } = await plainEngine.database.executeQuery<Record<string, unknown>>(explained);
      const plan = rows.map((row) => String(row.detail ?? row['QUERY PLAN'])).join('\n');
      await log.close();
      assert.match(plan, /events_owner/);
      assert.doesNotMatch(plan, /TEMP B-TREE|Seq Scan/);
    });

    it('contains nothing of a failed batch, which uses no position', async () => {
      const start = await lastOf();
      const record = newRecord();
      await insertAll(storage, [record]);
      const failing = apply(storage, { newRecords: [record], events: [newEvent(1)] });
      await assert.rejects(failing, /unique/i);
      assert.equal(await lastOf(), start);
      await append(newEvent(2));
      assert.equal((await since(start)).length, 1);
    });

    it('contains expiries and erasures, in the same transaction', async () => {
      const start = await lastOf();
      const owner = randomUUID();
      await register(storage, owner, 'user', 1);
      const records = [1, 2, 3].map((updatedAt) => newRecord({ owner, updatedAt, collection: 'short' }));
      await insertAll(storage, records);
      await storage.records.expire('short', 2, 10, (record) =>
        record.updatedAt === 1 ? null : newEvent(record.updatedAt, { owner, recordId: record.id }),
      );
      const expired = newEvent(2, { owner, recordId: records[1]?.id ?? '' });
      assert.deepEqual(await since(start), [expired]);
      const erasure = erasureOf(owner);
      await storage.records.erase(owner, newLine(), erasure);
      const left = await neighbour.events.list({ ...everything, after: start });
      assert.deepEqual(left, [{ ...erasure, position: start + 2 }], 'of the erased nothing else is told');
      assert.equal(await storage.records.erase(owner, null, erasure), null);
      assert.equal(await lastOf(), start + 2, 'who was not there is not told of');
    });

    it('contains each event of concurrent processes once, in an order that readers cannot miss', async () => {
      const start = await lastOf();
      const owners = ['one', 'other'].map((name) => `${name} ${randomUUID()}`);
      const seen: StoredEvent[] = [];
      let isOver = false;
      const reading = (async () => {
        for (let at = start; ; ) {
          const wasOver = isOver;
          const found = await storage.events.list({ ...everything, after: at });
          seen.push(...found);
          at = found.at(-1)?.position ?? at;
          if (wasOver && found.length === 0) return;
          // A read of SQLite is synchronous: yield to the event loop.
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const writing = [storage, neighbour].flatMap((process, index) =>
        Array.from({ length: 8 }, async (_, writer) => {
          for (let number = 0; number < 15; number += 1)
            await apply(process, {
              events: [0, 1].map((part) =>
                newEvent(number, {
                  owner: owners[index] as string,
                  data: JSON.stringify([writer, number, part]),
                }),
              ),
            });
        }),
      );
      await Promise.all(writing);
      isOver = true;
      await reading;
      const expected = Array.from({ length: 480 }, (_, index) => start + index + 1);
      assert.deepEqual([...seen.map(({ position }) => position)], expected);
      for (const owner of owners)
        for (let writer = 0; writer < 8; writer += 1) {
          const told = seen
            .filter((event) => event.owner === owner)
            .map(({ data }) => JSON.parse(data) as number[])
            .filter(([by]) => by === writer)
            .map(([, number, part]) => [number, part]);
          const written = Array.from({ length: 30 }, (_, index) => [Math.floor(index / 2), index % 2]);
          assert.deepEqual(told, written);
        }
    });

    const prune = (before: number, limit = 10_000, ahead = 1e15) =>
      storage.events.prune({ before, ahead }, limit);

    it('prunes events that a wrong clock has dated in the future', async () => {
      await append(...[1, 9e14, 2].map((number) => newEvent(number, { at: openedAt + number })));
      const before = await all();
      await prune(openedAt + 1e3, 10_000, openedAt + 1e6);
      const left = await all();
      assert.equal(left.length, 1);
      assert.equal(left[0]?.position, before.at(-1)?.position);
    });

    it('prunes the oldest events, in small batches, and never the last one', async () => {
      await append(...Array.from({ length: 10 }, (_, number) => newEvent(number)));
      await append(...Array.from({ length: 5 }, (_, number) => newEvent(number, { at: openedAt + 1e6 })));
      const before = await all();
      const old = before.filter(({ at }) => at < openedAt + 1e6).length;
      assert.equal(await prune(openedAt + 1e6, 3), 3);
      assert.deepEqual(await all(), before.slice(3));
      assert.equal(await prune(openedAt + 1e6), old - 3);
      assert.deepEqual(await all(), before.slice(old));
      assert.equal(await prune(openedAt + 2e6), 4);
      const [kept] = await all();
      const said = { type: '', collection: null, recordId: null, owner: '', data: '{}' };
      assert.deepEqual(kept, { ...before.at(-1), ...said }, 'of the last one only its place is kept');
      assert.equal(await prune(openedAt + 2e6), 0);
      const last = await lastOf();
      assert.deepEqual(await storage.events.extent(), { first: last, last });
      await append(newEvent(1));
      assert.equal(await lastOf(), last + 1);
    });

    it('notifies watchers in every process, until they stop', async () => {
      const heard = { own: 0, others: 0 };
      const stops = [
        await storage.events.watch(() => {
          heard.own += 1;
        }),
        await neighbour.events.watch(() => {
          heard.others += 1;
        }),
      ];
      for (const said of [1, 2]) {
        const { own, others } = { ...heard };
        await append(newEvent(said));
        const isHeard = () => heard.own > own && heard.others > others;
        await until(isHeard, Boolean, 'an appended event is not told of');
      }
      for (const stop of stops) await stop();
      const before = { ...heard };
      await append(newEvent(3));
      await append(newEvent(4));
      assert.deepEqual(heard, before);
    });
  });
}

describe('the event log beside a foreign transaction on postgres', () => {
  it('continues while that transaction stays open with a snapshot and changes', async () => {
    const url = await createDatabase();
    const storage = await postgresDatabase(url).open();
    const outsider = await beginOutside(url);
    try {
      await outsider.run('set transaction isolation level repeatable read');
      await outsider.run(`insert into documents (name, content, mac) values ('other', '', '')`);
      for (const number of [1, 2, 3]) {
        await apply(storage, { events: [newEvent(number)] });
        const found = await storage.events.list(everything);
        assert.equal(found.at(-1)?.position, number);
      }
    } finally {
      await outsider.commit();
      await storage.close();
    }
  });
});
