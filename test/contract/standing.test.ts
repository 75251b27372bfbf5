import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { createRevocationNames } from '../../src/consumer/pseudonym.ts';
import { Revocations } from '../../src/consumer/revocations.ts';
import { type Revocation, type Storage, type WatchedTable, watchedTables } from '../../src/storage/port.ts';
import { register } from '../support/databases/batches.ts';
import {
  createTestDatabase,
  databaseAt,
  newPlace,
  openTwice,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import {
  anyLine,
  erasureOf,
  everyByte,
  newClient,
  newSecret,
  newSigningKey,
  oddTexts,
} from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';
import { newWebhook } from '../support/webhooks/webhook-rows.ts';

for (const engine of storageKinds) {
  describe(`the storage contract of standing on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ database, storage, neighbour } = opened);
    });

    describe('consumers', () => {
      it('finds a caller as registered, and none under another name', async () => {
        const id = randomUUID();
        assert.equal(await storage.consumers.find(id), null);
        const registered = await register(storage, id, 'client', 1000);
        assert.deepEqual(await neighbour.consumers.find(id), registered);
        assert.equal(await storage.consumers.find(id.toUpperCase()), null);
        assert.equal(await storage.consumers.find(`${id} `), null);
      });

      it('changes only the state, of one caller only', async () => {
        const [one, other] = [randomUUID(), randomUUID()];
        const registered = await register(storage, one, 'user', 1000);
        const bystander = await register(storage, other, 'user', 1001);
        assert.equal(await storage.consumers.setState(one, 'suspended', anyLine), true);
        assert.deepEqual(await neighbour.consumers.find(one), { ...registered, state: 'suspended' });
        assert.deepEqual(await neighbour.consumers.find(other), bystander);
        assert.equal(
          await storage.consumers.setState(one, 'suspended', anyLine),
          true,
          'again is no mistake',
        );
        const again = await register(storage, one, 'user', 2000);
        assert.deepEqual(again, { ...registered, state: 'suspended' }, 'coming again changes nothing');
        assert.equal(await neighbour.consumers.setState(one, 'active', anyLine), true);
        assert.deepEqual(await storage.consumers.find(one), registered);
      });

      it('returns false when there is no caller to change', async () => {
        assert.equal(await storage.consumers.setState(randomUUID(), 'suspended', anyLine), false);
      });
    });

    describe('standing', () => {
      it('has no suspended callers in a new database', async () => {
        const fresh = await createTestDatabase(engine).then((empty) => empty.open());
        assert.deepEqual(await fresh.standing.suspendedConsumers(), []);
        await fresh.close();
      });

      it('lists the suspended callers only', async () => {
        const fresh = await createTestDatabase(engine).then((empty) => empty.open());
        for (const id of ['in', 'out', 'back']) await register(fresh, id, 'user', 1);
        for (const id of ['out', 'back']) await fresh.consumers.setState(id, 'suspended', anyLine);
        await fresh.consumers.setState('back', 'active', anyLine);
        const suspended = await fresh.standing.suspendedConsumers();
        await fresh.close();
        assert.deepEqual(suspended, ['out']);
      });

      it('revocations are stored in order for all processes; the later time counts', async () => {
        const fresh = await createTestDatabase(engine).then((empty) => empty.open());
        const nobody = { document: null, audit: null };
        const note = (name: string, issuedUntil: number, forgetAt: number) => {
          return { name, issuedUntil, forgetAt, issuer: null };
        };
        const issuer = 'main';
        assert.deepEqual(await fresh.standing.revocations(0), []);
        const first = [{ ...note('a', 10, 100), issuer }, note('b', 20, 200)];
        assert.equal(await fresh.standing.revoke(first, nobody), 2);
        assert.equal(await fresh.standing.revoke([note('a', 5, 150)], nobody), 1);
        assert.equal(await fresh.standing.revoke([], nobody), 0, 'nothing is no mistake');
        assert.deepEqual(await fresh.standing.revocations(0), [
          { ...note('b', 20, 200), seq: 2, movedFrom: null },
          { ...note('a', 10, 150), issuer, seq: 3, movedFrom: 1 },
        ]);
        assert.deepEqual(await fresh.standing.revocations(2), [
          { ...note('a', 10, 150), issuer, seq: 3, movedFrom: 1 },
        ]);
        await fresh.standing.revoke([note('c', 1, 50)], nobody);
        await fresh.standing.forgetRevocations(150);
        const left = await fresh.standing.revocations(0);
        const names = left.map(({ name, seq }) => `${name} ${seq}`);
        assert.deepEqual(names, ['b 2', 'c 4'], 'the newest stays, so that no number is given twice');
        await fresh.close();
      });

      it('a revocation that changes nothing is not stored again and notifies no watcher', async () => {
        const empty = await createTestDatabase(engine);
        await using ends = new AsyncDisposableStack();
        const fresh = await empty.open();
        ends.defer(() => fresh.close());
        const nobody = { document: null, audit: null };
        const a: Revocation = { name: 'a', issuedUntil: 10, forgetAt: 100, issuer: null };
        const b = { ...a, name: 'b' };
        const changes = async () => (await empty.query('select revocations as count from changes'))[0]?.count;
        await fresh.standing.revoke([a], nobody);
        const before = await changes();
        const document = { issuer: randomUUID(), digest: everyByte, expiresAt: 10_000 };
        assert.equal(await fresh.standing.revoke([a], nobody), 0);
        assert.equal(await fresh.standing.revoke([{ ...a, issuedUntil: 9 }], { document, audit: null }), 0);
        assert.deepEqual(await fresh.standing.revocations(0), [{ ...a, seq: 1, movedFrom: null }]);
        assert.equal(await changes(), before);
        const again = await fresh.standing.revoke([b], { document, audit: null });
        assert.equal(again, null, 'it was used all the same');
        await fresh.standing.revoke([a, b], nobody);
        assert.notEqual(await changes(), before);
        for (const more of [{ issuedUntil: 11 }, { forgetAt: 101 }])
          await fresh.standing.revoke([{ ...a, ...more }], nobody);
        assert.deepEqual(await fresh.standing.revocations(0), [
          { ...b, seq: 2, movedFrom: null },
          { ...a, issuedUntil: 11, forgetAt: 101, seq: 4, movedFrom: 3 },
        ]);
      });

      it('a process reads only new revocations, but all of them after a write by an older release', async () => {
        const empty = await createTestDatabase(engine);
        await using ends = new AsyncDisposableStack();
        const fresh = await empty.open();
        ends.defer(() => fresh.close());
        const known = new Revocations(createRevocationNames(createKeyedDigest(new Uint8Array(32))));
        /** The number of rows that a process reads after it has read all earlier ones. */
        const read = async () => {
          let count = 0;
          await known.load({
            async revocations(after) {
              const found = await fresh.standing.revocations(after);
              count += found.length;
              return found;
            },
          });
          return count;
        };
        const signOut = (issuedUntil: number, ...taken: string[]) =>
          fresh.standing.revoke(
            taken.map((name) => ({ name, issuedUntil, forgetAt: issuedUntil + 100, issuer: null })),
            { document: null, audit: null },
          );
        const others = Array.from({ length: 50 }, (_, index) => `somebody ${index}`);
        await signOut(1, ...others);
        assert.equal(await read(), others.length);
        await signOut(1, 'session', 'without a session');
        assert.equal(await read(), 3, 'the new ones, and the newest that is known');
        await signOut(2, 'session', 'without a session');
        assert.equal(await read(), 2);
        await signOut(3, 'session', 'without a session');
        await signOut(4, 'somebody else');
        assert.equal(await read(), 3);
        for (const time of [5, 6, 7]) await signOut(time, 'somebody else');
        assert.equal(await read(), 1, 'however often it was noted between two looks');
        assert.equal(known.known.size, others.length + 3);
        const ofOlder = "update revocations set seq = seq + 1, issued_until = 8 where name = 'somebody else'";
        await empty.query(ofOlder);
        assert.ok((await read()) > others.length);
        assert.equal(await read(), 1, 'after that only the newest again');
      });

      it('a logout token counts once, whichever process gets it', async () => {
        const document = { issuer: randomUUID(), digest: everyByte, expiresAt: 10_000 };
        const by = { document, audit: null };
        const note = { name: randomUUID(), issuedUntil: 1, forgetAt: 10, issuer: null };
        assert.equal(await storage.standing.revoke([note], by), 1);
        assert.equal(await neighbour.standing.revoke([{ ...note, issuedUntil: 9 }], by), null);
        const noted = (await neighbour.standing.revocations(0)).find(({ name }) => name === note.name);
        assert.equal(noted?.issuedUntil, 1, 'nothing of the second was noted');
        const other = { document: { ...document, issuer: randomUUID() }, audit: null };
        assert.equal(await neighbour.standing.revoke([note], other), 0, 'ids are those of an issuer');
        await storage.assertions.forgetUsed(10_000);
        assert.equal(await storage.standing.revoke([note], by), null, 'it has not ended yet');
        await storage.assertions.forgetUsed(10_001);
        assert.equal(await storage.standing.revoke([note], by), 0, 'forgotten once it has ended');
      });

      it('deleting revocations beside a writer in another order fails for neither', async () => {
        const place = await newPlace(engine);
        const fresh = await databaseAt(engine, place).then((empty) => empty.open());
        const notes = ['first', 'second', 'newest'].map((name) => {
          return { name, issuedUntil: 10, forgetAt: 100, issuer: null };
        });
        await fresh.standing.revoke(notes, { document: null, audit: null });
        const outsider = await beginOutside(place);
        const noteAgain = (name: string) =>
          outsider.run(`update revocations set issued_until = 11 where name = '${name}'`);
        await noteAgain('second');
        const forgotten = fresh.standing.forgetRevocations(100);
        await Promise.race([forgotten, outsider.untilSomebodyWaits()]);
        await noteAgain('first');
        await outsider.commit();
        await forgotten;
        await fresh.standing.forgetRevocations(100);
        const left = await fresh.standing.revocations(0);
        await fresh.close();
        assert.equal(left.map(({ name }) => name).join(), 'newest');
      });

      const client = newClient();
      const [first, second] = [newSecret(), newSecret()];
      const limits = { now: 0, maxLive: 2, othersExpireAt: null };
      const consumer = randomUUID();
      const document = { document: null, audit: null };
      const taken = { name: randomUUID(), issuedUntil: 1, forgetAt: 2, issuer: null };
      /** By the table that they change. */
      const changes: Readonly<Record<WatchedTable, readonly ((other: Storage) => Promise<unknown>)[]>> = {
        consumers: [
          ({ consumers }) => consumers.setState(consumer, 'suspended', anyLine),
          ({ consumers }) => consumers.setState(consumer, 'active', anyLine),
          ({ records }) => records.erase(consumer, null, erasureOf(consumer)),
        ],
        revocations: [({ standing }) => standing.revoke([taken], document)],
        clients: [
          ({ clients }) => clients.setState(client.id, 'disabled', anyLine),
          ({ clients }) => clients.setState(client.id, 'active', anyLine),
          ({ clients }) => clients.addSecret(client.id, second, limits, anyLine),
          ({ clients }) => clients.removeSecret(client.id, first.id, anyLine),
          ({ clients }) => clients.remove(client.id, anyLine),
        ],
        signing_keys: [({ signingKeys }) => signingKeys.addNext(newSigningKey(), null, anyLine)],
        webhooks: [({ webhooks }) => webhooks.add(newWebhook(), anyLine)],
      };
      /** The callbacks during the work, until there are so many of them. */
      const heardOf = async (times: number, work: () => Promise<void>) => {
        const heard: (readonly string[])[] = [];
        const unwatch = await storage.standing.watch((changed) => heard.push([...changed]));
        try {
          await work();
          await until(() => heard.length >= times, Boolean, `nobody was called ${times} times`);
        } finally {
          await unwatch();
        }
        return heard;
      };
      it('counts each change, and notifies watchers of other connections with the changed table', async () => {
        await register(neighbour, consumer, 'user', 1);
        await neighbour.clients.add(client, first, anyLine);
        const counts = async () => {
          const [row = assert.fail()] = await database.query('select * from changes');
          return Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)]));
        };
        for (const [table, all] of Object.entries(changes))
          for (const [index, change] of all.entries()) {
            const before = await counts();
            const make = async () => assert.ok(![false, null].includes((await change(neighbour)) as null));
            // A watcher polls the counts: the test waits for one change of each table only.
            if (index > 0) await make();
            else assert.deepEqual(await heardOf(1, make), [[table]]);
            assert.deepEqual(await counts(), { ...before, [table]: Number(before[table]) + 1 });
          }
        assert.ok(!(await storage.standing.suspendedConsumers()).includes(consumer));
        assert.equal(await storage.clients.find(client.id), null);
      });

      it('treats decreasing counts, as of a restored database, as a change of everything', async () => {
        await database.query('update changes set clients = clients + 1');
        const heard = await heardOf(1, async () => {
          await database.query('update changes set clients = clients - 1');
        });
        assert.deepEqual(heard, [watchedTables]);
      });

      it('notifies every watcher until it stops', async () => {
        const calls = { ended: 0, one: 0, other: 0 };
        const watcher = (name: keyof typeof calls) => () => {
          calls[name] += 1;
        };
        await (await storage.standing.watch(watcher('ended')))();
        const before = calls.ended;
        const third = await database.open();
        const unwatch = [await storage.standing.watch(watcher('one'))];
        unwatch.push(await third.standing.watch(watcher('other')));
        const id = randomUUID();
        await register(neighbour, id, 'user', 1);
        // Both have polled once before the change.
        for (const state of ['suspended', 'active', 'suspended'] as const) {
          const seen = { ...calls };
          await neighbour.consumers.setState(id, state, anyLine);
          const isHeard = () => calls.one > seen.one && calls.other > seen.other;
          await until(isHeard, Boolean, 'somebody was not called');
        }
        assert.equal(calls.ended, before);
        for (const end of unwatch) await end();
        await third.close();
      });
    });

    describe('documents', () => {
      it('are null under an unknown name', async () => {
        assert.equal(await storage.documents.read(randomUUID()), null);
      });

      it('return text and bytes; the last one under a name counts', async () => {
        const name = randomUUID();
        for (const content of oddTexts) {
          await storage.documents.write(name, content, everyByte);
          assert.deepEqual(await neighbour.documents.read(name), { content, mac: everyByte });
        }
        await neighbour.documents.write(name, 'last', new Uint8Array([1]));
        assert.deepEqual(await storage.documents.read(name), { content: 'last', mac: new Uint8Array([1]) });
      });

      it('are kept apart when their names differ in one byte', async () => {
        const prefix = randomUUID();
        for (const text of oddTexts)
          await storage.documents.write(`${prefix}${text}`, text, new Uint8Array());
        for (const text of oddTexts)
          assert.equal((await storage.documents.read(prefix + text))?.content, text, JSON.stringify(text));
      });

      it('keep one of twenty concurrent first writes, and no later one', async () => {
        const name = randomUUID();
        const writes = Array.from({ length: 20 }, (_, index) => {
          const { documents } = index % 2 === 0 ? storage : neighbour;
          return documents.writeFirst(name, String(index), new Uint8Array([index]));
        });
        await Promise.all(writes);
        const kept = await storage.documents.read(name);
        assert.equal(kept?.content, String(kept?.mac[0]), 'text and bytes of the same one');
        await storage.documents.writeFirst(name, 'later', everyByte);
        assert.deepEqual(await neighbour.documents.read(name), kept);
      });
    });
  });
}
