import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { Storage } from '../../src/storage/port.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { everyByte, newClient, newSecret, newSigningKey, oddTexts } from '../support/records.ts';
import { databaseEngines } from '../support/service.ts';

/** One suite, every database: none may answer differently, and none may leave a case out. */
for (const engine of databaseEngines) {
  describe(`the storage contract on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    /** A second process, as far as the database can tell. */
    let neighbour: Storage;
    before(async () => {
      database = await createTestDatabase(engine);
      storage = await database.open();
      neighbour = await database.open();
    });
    after(async () => {
      await neighbour.close();
      await storage.close();
    });

    describe('clients', () => {
      it('finds a client as it was added, with the bytes of its secret', async () => {
        const client = newClient({ label: 'billing', state: 'disabled', createdAt: 253_402_300_799_999 });
        const secret = newSecret({ digest: everyByte, createdAt: 1 });
        assert.equal(await storage.clients.add(client, secret), true);
        assert.deepEqual(await storage.clients.find(client.id), { ...client, secrets: [secret] });
      });

      it('finds nobody under an id that was never added', async () => {
        assert.equal(await storage.clients.find(randomUUID()), null);
      });

      it('keeps the first client when an id is added twice', async () => {
        const client = newClient({ label: 'first' });
        const secret = newSecret();
        await storage.clients.add(client, secret);
        assert.equal(await storage.clients.add({ ...client, label: 'second' }, newSecret()), false);
        assert.deepEqual(await storage.clients.find(client.id), { ...client, secrets: [secret] });
      });

      it('adds one of twenty clients with the same id that come at once through two connections', async () => {
        const id = randomUUID();
        const tries = Array.from({ length: 20 }, (_, index) => {
          const { clients } = index % 2 === 0 ? storage : neighbour;
          return clients.add(newClient({ id, label: `try ${index}` }), newSecret());
        });
        const added = await Promise.all(tries);
        assert.equal(added.filter((isFirst) => isFirst).length, 1);
        const found = await storage.clients.find(id);
        assert.equal(found?.label, `try ${added.indexOf(true)}`);
        assert.equal(found?.secrets.length, 1);
      });

      it('lists clients by date and then by the bytes of their ids', async () => {
        const list = await createTestDatabase(engine).then((fresh) => fresh.open());
        const ids = ['b', 'Ａ', 'a', '😀', 'é', 'B', 'e\u0301', '_', '10', '9'];
        await list.clients.add(newClient({ id: 'z-oldest', createdAt: 1 }), newSecret());
        for (const id of ids) await list.clients.add(newClient({ id, createdAt: 2 }), newSecret());
        await list.clients.add(newClient({ id: 'a-newest', createdAt: 3 }), newSecret());
        const listed = (await list.clients.list()).map(({ id }) => id);
        assert.deepEqual(listed, ['z-oldest', ...ids.toSorted(byBytes), 'a-newest']);
        await list.close();
      });

      it('lists no client in a new database', async () => {
        const empty = await createTestDatabase(engine).then((fresh) => fresh.open());
        assert.deepEqual(await empty.clients.list(), []);
        await empty.close();
      });

      it('changes the state of one client and of no other', async () => {
        const [one, other] = [newClient(), newClient()];
        await storage.clients.add(one, newSecret());
        await storage.clients.add(other, newSecret());
        assert.equal(await storage.clients.setState(one.id, 'disabled'), true);
        assert.equal((await storage.clients.find(one.id))?.state, 'disabled');
        assert.equal((await storage.clients.find(other.id))?.state, 'active');
        assert.equal(await storage.clients.setState(one.id, 'disabled'), true, 'again is no mistake');
        assert.equal(await storage.clients.setState(one.id, 'active'), true);
        assert.equal((await storage.clients.find(one.id))?.state, 'active');
      });

      it('says so when there is no client to change or remove', async () => {
        assert.equal(await storage.clients.setState(randomUUID(), 'disabled'), false);
        assert.equal(await storage.clients.remove(randomUUID()), false);
      });

      it('removes a client together with its secrets, and its id is free again', async () => {
        const [gone, kept] = [newClient(), newClient()];
        await storage.clients.add(gone, newSecret());
        await storage.clients.add(kept, newSecret());
        assert.equal(await storage.clients.remove(gone.id), true);
        assert.equal(await storage.clients.find(gone.id), null);
        assert.equal(await storage.clients.remove(gone.id), false);
        const owners = await database.query('select client_id from client_secrets');
        assert.equal(
          owners.some((row) => row.client_id === gone.id),
          false,
        );
        const secret = newSecret();
        assert.equal(await storage.clients.add(gone, secret), true);
        assert.deepEqual((await storage.clients.find(gone.id))?.secrets, [secret]);
        assert.notEqual(await storage.clients.find(kept.id), null);
      });

      it('keeps apart and gives back unchanged whatever a text can hold', async () => {
        for (const text of oddTexts) {
          const client = newClient({ id: `odd ${text}`, label: text });
          assert.equal(await storage.clients.add(client, newSecret()), true, JSON.stringify(text));
        }
        for (const text of oddTexts) {
          const found = await storage.clients.find(`odd ${text}`);
          assert.equal(found?.id, `odd ${text}`);
          assert.equal(found?.label, text);
        }
        assert.equal(await storage.clients.find('odd Al%'), null, 'a wildcard stands for itself');
        assert.equal(await storage.clients.find('ODD Alice'), null, 'case counts');
      });
    });

    describe('consumers', () => {
      it('registers a caller at first sight and never changes it afterwards', async () => {
        const id = randomUUID();
        const first = { id, kind: 'user', state: 'active', registeredAt: 1000 } as const;
        assert.deepEqual(await storage.consumers.register(id, 'user', 1000), first);
        assert.deepEqual(await storage.consumers.register(id, 'client', 2000), first);
        assert.deepEqual(await neighbour.consumers.register(id, 'client', 500), first);
      });

      it('makes one row and one date of fifty registrations at once through two connections', async () => {
        const id = randomUUID();
        const registered = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            (index % 2 === 0 ? storage : neighbour).consumers.register(id, 'user', 1000 + index),
          ),
        );
        assert.equal(new Set(registered.map(({ registeredAt }) => registeredAt)).size, 1);
        const rows = await database.query(`select registered_at from consumers where id = '${id}'`);
        assert.deepEqual(
          rows.map((row) => Number(row.registered_at)),
          [registered[0]?.registeredAt],
        );
      });

      it('takes names that differ in one byte for different callers', async () => {
        const prefix = randomUUID();
        for (const [index, text] of oddTexts.entries()) {
          const { registeredAt } = await storage.consumers.register(`${prefix}${text}`, 'user', index);
          assert.equal(registeredAt, index, JSON.stringify(text));
        }
      });
    });

    describe('signing keys', () => {
      it('has none in a new database', async () => {
        assert.deepEqual(await storage.signingKeys.list(), []);
      });

      it('keeps one of twenty first keys that come at once, and no later one', async () => {
        const keys = Array.from({ length: 20 }, newSigningKey);
        await Promise.all(
          keys.map((key, index) => (index % 2 === 0 ? storage : neighbour).signingKeys.addFirst(key)),
        );
        const kept = await storage.signingKeys.list();
        assert.equal(kept.length, 1);
        assert.deepEqual(
          kept,
          keys.filter(({ kid }) => kid === kept[0]?.kid),
          'every member as it was added',
        );
        await storage.signingKeys.addFirst(newSigningKey());
        assert.deepEqual(await neighbour.signingKeys.list(), kept);
      });
    });

    describe('the connection', () => {
      it('answers a ping', async () => {
        await storage.ping();
      });

      it('shows to one connection at once what another has written', async () => {
        const client = newClient();
        await storage.clients.add(client, newSecret());
        assert.equal((await neighbour.clients.find(client.id))?.id, client.id);
        await neighbour.clients.setState(client.id, 'disabled');
        assert.equal((await storage.clients.find(client.id))?.state, 'disabled');
        await neighbour.clients.remove(client.id);
        assert.equal(await storage.clients.find(client.id), null);
      });

      it('keeps what was written when it is closed and opened again', async () => {
        const fresh = await createTestDatabase(engine);
        const client = newClient();
        const writer = await fresh.open();
        await writer.clients.add(client, newSecret());
        await writer.close();
        const reader = await fresh.open();
        assert.deepEqual(await reader.clients.list(), [client]);
        await reader.close();
      });

      it('rejects every question with storage_unavailable once it is closed', async () => {
        const closed = await (await createTestDatabase(engine)).open();
        await closed.close();
        const questions: Record<string, () => Promise<unknown>> = {
          ping: () => closed.ping(),
          add: () => closed.clients.add(newClient(), newSecret()),
          find: () => closed.clients.find('x'),
          list: () => closed.clients.list(),
          setState: () => closed.clients.setState('x', 'active'),
          remove: () => closed.clients.remove('x'),
          register: () => closed.consumers.register('x', 'user', 1),
          findConsumer: () => closed.consumers.find('x'),
          setConsumerState: () => closed.consumers.setState('x', 'active'),
          standing: () => closed.standing.read(),
          read: () => closed.shelf.read('x'),
          write: () => closed.shelf.write('x', '', everyByte),
          writeFirst: () => closed.shelf.writeFirst('x', '', everyByte),
          keys: () => closed.signingKeys.list(),
          addFirst: () => closed.signingKeys.addFirst(newSigningKey()),
        };
        for (const [name, ask] of Object.entries(questions)) {
          await assert.rejects(ask, (error) => isUnavailable(error), name);
        }
      });
    });
  });
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'storage_unavailable';
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
