import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import type { AuditEntry, Storage } from '../../src/storage/port.ts';
import { load, register, runBatch } from '../support/databases/batches.ts';
import {
  createTestDatabase,
  openedAt,
  openTwice,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import {
  anyLine,
  everyByte,
  newClient,
  newLine,
  newSecret,
  newSigningKey,
  oddTexts,
  sealed,
} from '../support/databases/records.ts';

/** One suite for every database: none may behave differently or skip a case. */
for (const engine of storageKinds) {
  describe(`the storage contract on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let neighbour: Storage;
    openTwice(engine, (opened) => {
      ({ database, storage, neighbour } = opened);
    });
    const either = (index: number) => (index % 2 === 0 ? storage : neighbour);

    it('reports its size, disk, schema version and last backup', async () => {
      const { bytes, disk, schemaVersion, migration, lastBackup } = await storage.describe();
      assert.ok(bytes > 10_000 && schemaVersion > 0);
      if (engine === 'sqlite') assert.ok(disk !== null && disk.free > 0 && disk.free <= disk.bytes);
      else assert.equal(disk, null);
      assert.deepEqual([migration, lastBackup], ['nothing to do', null]);
    });

    describe('clients', () => {
      it('finds a client as added, with the bytes of its secret', async () => {
        const client = newClient({ label: 'billing', state: 'disabled', createdAt: 253_402_300_799_999 });
        const secret = newSecret({ digest: everyByte, createdAt: 1 });
        assert.equal(await storage.clients.add(client, secret, anyLine), true);
        assert.deepEqual(await storage.clients.find(client.id), sealed(client, [secret]));
      });

      it('returns null for an unknown id', async () => {
        assert.equal(await storage.clients.find(randomUUID()), null);
      });

      it('keeps the first client when an id is added twice', async () => {
        const client = newClient({ label: 'first' });
        const secret = newSecret();
        await storage.clients.add(client, secret, anyLine);
        assert.equal(await storage.clients.add({ ...client, label: 'second' }, newSecret(), anyLine), false);
        assert.deepEqual(await storage.clients.find(client.id), sealed(client, [secret]));
      });

      it('adds one of twenty clients with the same id that come at once through two connections', async () => {
        const id = randomUUID();
        const tries = Array.from({ length: 20 }, (_, index) =>
          either(index).clients.add(newClient({ id, label: `try ${index}` }), newSecret(), anyLine),
        );
        const added = await Promise.all(tries);
        assert.equal(added.filter((isFirst) => isFirst).length, 1);
        const found = await storage.clients.find(id);
        assert.equal(found?.label, `try ${added.indexOf(true)}`);
        assert.equal(found?.secrets.length, 1);
      });

      it('lists clients by date and then by the bytes of their ids', async () => {
        const list = await createTestDatabase(engine).then((fresh) => fresh.open());
        const ids = ['b', 'Ａ', 'a', '😀', 'é', 'B', 'e\u0301', '_', '10', '9'];
        await list.clients.add(newClient({ id: 'z-oldest', createdAt: 1 }), newSecret(), anyLine);
        for (const id of ids) await list.clients.add(newClient({ id, createdAt: 2 }), newSecret(), anyLine);
        await list.clients.add(newClient({ id: 'a-newest', createdAt: 3 }), newSecret(), anyLine);
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
        await storage.clients.add(one, newSecret(), anyLine);
        await storage.clients.add(other, newSecret(), anyLine);
        assert.equal(await storage.clients.setState(one.id, 'disabled', anyLine), true);
        assert.equal((await storage.clients.find(one.id))?.state, 'disabled');
        assert.equal((await storage.clients.find(other.id))?.state, 'active');
        assert.equal(await storage.clients.setState(one.id, 'disabled', anyLine), true, 'again');
        assert.equal(await storage.clients.setState(one.id, 'active', anyLine), true);
        assert.equal((await storage.clients.find(one.id))?.state, 'active');
      });

      it('returns false when there is no client to change or remove', async () => {
        assert.equal(await storage.clients.setState(randomUUID(), 'disabled', anyLine), false);
        assert.equal(await storage.clients.remove(randomUUID(), anyLine), false);
      });

      it('removes a client with its secrets; its id can be used again', async () => {
        const [gone, kept] = [newClient(), newClient()];
        await storage.clients.add(gone, newSecret(), anyLine);
        await storage.clients.add(kept, newSecret(), anyLine);
        assert.equal(await storage.clients.remove(gone.id, anyLine), true);
        assert.equal(await storage.clients.find(gone.id), null);
        assert.equal(await storage.clients.remove(gone.id, anyLine), false);
        const owners = await database.query('select client_id from client_secrets');
        assert.ok(!owners.some((row) => row.client_id === gone.id));
        const secret = newSecret();
        assert.equal(await storage.clients.add(gone, secret, anyLine), true);
        assert.deepEqual((await storage.clients.find(gone.id))?.secrets, [secret]);
        assert.notEqual(await storage.clients.find(kept.id), null);
      });

      it('returns any text unchanged and keeps different texts apart', async () => {
        for (const text of oddTexts) {
          const client = newClient({ id: `odd ${text}`, label: text });
          assert.equal(await storage.clients.add(client, newSecret(), anyLine), true, JSON.stringify(text));
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
      it('registers a caller once and never changes it', async () => {
        const id = randomUUID();
        const first = { id, kind: 'user', state: 'active', registeredAt: 1000 } as const;
        assert.deepEqual(await register(storage, id, 'user', 1000), first);
        assert.deepEqual(await register(storage, id, 'client', 2000), first);
        assert.deepEqual(await register(neighbour, id, 'client', 500), first);
      });

      it('makes one row with one date of fifty concurrent registrations', async () => {
        const id = randomUUID();
        const registered = await Promise.all(
          Array.from({ length: 50 }, (_, index) => register(either(index), id, 'user', 1000 + index)),
        );
        assert.equal(new Set(registered.map(({ registeredAt }) => registeredAt)).size, 1);
        const rows = await database.query(`select registered_at from consumers where id = '${id}'`);
        assert.deepEqual([rows.length, Number(rows[0]?.registered_at)], [1, registered[0]?.registeredAt]);
      });

      it('names that differ in one byte are different callers', async () => {
        const prefix = randomUUID();
        for (const [index, text] of oddTexts.entries()) {
          const { registeredAt } = await register(storage, `${prefix}${text}`, 'user', index);
          assert.equal(registeredAt, index, JSON.stringify(text));
        }
      });
    });

    describe('the secrets of a client', () => {
      const limits = { now: openedAt + 1_000, maxLive: 2, othersExpireAt: null };
      const add = async (secret = newSecret()) => {
        const client = newClient({ scopes: ['a', 'b.c'] });
        await storage.clients.add(client, secret, anyLine);
        return { id: client.id, first: secret };
      };

      it('a second one is added beside the first, which stays valid by default', async () => {
        const { id, first } = await add();
        const second = newSecret({ label: 'new', createdAt: openedAt + 1 });
        assert.equal(await storage.clients.addSecret(id, second, limits, anyLine), 'added');
        const found = await neighbour.clients.find(id);
        assert.deepEqual(found?.secrets, [first, second]);
        assert.deepEqual(found?.scopes, ['a', 'b.c']);
      });

      it('the first one expires as requested, but never later than before', async () => {
        for (const [expiresAt, expected] of [
          [null, openedAt + 5_000],
          [openedAt + 2_000, openedAt + 2_000],
          [openedAt + 9_000, openedAt + 5_000],
        ] as const) {
          const { id } = await add(newSecret({ expiresAt }));
          const second = newSecret({ createdAt: openedAt + 1 });
          const ending = { ...limits, othersExpireAt: openedAt + 5_000 };
          await storage.clients.addSecret(id, second, ending, anyLine);
          const secrets = (await storage.clients.find(id))?.secrets;
          assert.deepEqual([secrets?.[0]?.expiresAt, secrets?.[1]?.expiresAt], [expected, null]);
        }
      });

      it('the number of live ones is limited, however many come at once', async () => {
        const { id } = await add();
        const tries = Array.from({ length: 10 }, (_, index) =>
          either(index).clients.addSecret(id, newSecret(), limits, anyLine),
        );
        const outcomes = await Promise.all(tries);
        assert.deepEqual(outcomes.toSorted(), ['added', ...Array(9).fill('too_many')]);
        assert.equal((await storage.clients.find(id))?.secrets.length, 2);
      });

      it('an expired one does not count and is deleted days later', async () => {
        const { id } = await add(newSecret({ expiresAt: limits.now }));
        for (const days of [0, 3]) {
          const later = { ...limits, now: limits.now + days * 86_400_000, maxLive: 10 };
          const added = storage.clients.addSecret(id, newSecret(), { ...later, maxLive: days + 1 }, anyLine);
          assert.equal(await added, 'added');
          const { length } = (await storage.clients.find(id))?.secrets ?? [];
          assert.equal(length, 2);
        }
      });

      it('an unknown client gets none', async () => {
        const outcome = await storage.clients.addSecret(randomUUID(), newSecret(), limits, anyLine);
        assert.equal(outcome, 'no_such_client');
      });

      it('one is removed from its own client only', async () => {
        const { id, first } = await add();
        const other = await add();
        assert.equal(await storage.clients.removeSecret(other.id, first.id, anyLine), false);
        assert.equal(await storage.clients.removeSecret(id, first.id, anyLine), true);
        assert.deepEqual((await storage.clients.find(id))?.secrets, []);
        assert.equal((await storage.clients.find(other.id))?.secrets.length, 1);
      });

      it('the last use is stored by day and never goes back', async () => {
        const { id, first } = await add();
        for (const day of [86_400_000, 172_800_000, 86_400_000]) await storage.clients.noteUse(first.id, day);
        assert.equal((await storage.clients.find(id))?.secrets[0]?.lastUsedOn, 172_800_000);
      });

      it('the scopes of a client are replaced', async () => {
        const { id } = await add();
        assert.equal(await storage.clients.setScopes(id, ['x'], anyLine), true);
        assert.deepEqual((await storage.clients.find(id))?.scopes, ['x']);
        assert.equal(await storage.clients.setScopes(id, [], anyLine), true);
        assert.deepEqual((await storage.clients.find(id))?.scopes, []);
        assert.equal(await storage.clients.setScopes(randomUUID(), [], anyLine), false);
      });

      it('a client may have keys and no secret', async () => {
        const client = newClient({ publicKeys: '{"keys":[]}' });
        await storage.clients.add(client, null, anyLine);
        assert.deepEqual(await storage.clients.find(client.id), sealed(client, []));
      });
    });

    describe('callers registered in the future', () => {
      it('are re-registered as of now; others are not changed', async () => {
        const fresh = await (await createTestDatabase(engine)).open();
        const now = openedAt;
        const kept = { old: 1_000, now, 'a clock away': now + 60_000 };
        const times = { ...kept, ahead: now + 60_001, 'far ahead': now * 2 };
        for (const [id, at] of Object.entries(times)) await register(fresh, id, 'user', at);
        await register(fresh, 'client', 'client', now * 2);
        assert.equal(await fresh.consumers.bringBack(now), 2);
        for (const [id, at] of Object.entries({ ...times, ahead: now, 'far ahead': now, client: now * 2 }))
          assert.equal((await fresh.consumers.find(id))?.registeredAt, at, id);
        assert.equal(await fresh.consumers.bringBack(now), 0);
        await fresh.close();
      });
    });

    describe('used assertions', () => {
      it('one of twenty concurrent uses of the same jti succeeds', async () => {
        const digest = randomBytes(32);
        const tries = Array.from({ length: 20 }, (_, index) =>
          either(index).assertions.use('one', digest, openedAt + 1_000, openedAt),
        );
        assert.equal((await Promise.all(tries)).filter((isFirst) => isFirst).length, 1);
        assert.equal(await storage.assertions.use('other', digest, openedAt + 1_000, openedAt), true);
      });

      it('an expired one is forgotten, but not while the time is unknown', async () => {
        const digest = randomBytes(32);
        assert.equal(await storage.assertions.use('one', digest, openedAt + 1_000, openedAt), true);
        assert.equal(await storage.assertions.use('one', digest, openedAt + 9_000, null), false);
        assert.equal(await storage.assertions.use('one', digest, openedAt + 9_000, openedAt + 1_000), false);
        assert.equal(await storage.assertions.use('one', digest, openedAt + 9_000, openedAt + 1_001), true);
      });
    });

    describe('the audit log', () => {
      it('keeps a line of every change, in order, and none of failed ones', async () => {
        const fresh = await createTestDatabase(engine).then((database) => database.open());
        const client = newClient();
        const lines = ['added', 'disabled', 'removed'].map((action, index) =>
          newLine({ action, subject: client.id, at: openedAt + index, details: { odd: oddTexts } }),
        );
        const [added, disabled, removed] = lines as [AuditEntry, AuditEntry, AuditEntry];
        await fresh.clients.add(client, newSecret(), added);
        await fresh.clients.add(client, newSecret(), newLine({ action: 'never' }));
        await fresh.clients.setState(client.id, 'disabled', disabled);
        await fresh.clients.setState(randomUUID(), 'disabled', newLine({ action: 'never' }));
        await fresh.clients.remove(client.id, removed);
        assert.deepEqual(await fresh.audit.list(0), lines);
        assert.deepEqual(await fresh.audit.list(openedAt + 1), lines.slice(1));
        await fresh.close();
      });

      it('cannot be updated or deleted, not even with SQL', async () => {
        await storage.clients.add(newClient(), newSecret(), anyLine);
        for (const statement of ['update audit set actor = 1', 'delete from audit'])
          await assert.rejects(database.query(statement), /append-only/);
        assert.ok((await storage.audit.list(0)).length > 0);
      });

      it('cannot be overwritten by an insert with the same number', async () => {
        await storage.clients.add(newClient(), newSecret(), anyLine);
        const before = await storage.audit.list(0);
        const line = "(select max(seq) from audit), 1, 'forged', 'x', 'x', 'x', '{}'";
        const columns = 'audit (seq, at, actor, node, action, subject, details)';
        const instead = "on conflict (seq) do update set actor = 'forged'";
        const statements =
          engine === 'sqlite'
            ? [
                `insert or replace into ${columns} values (${line})`,
                `replace into ${columns} values (${line})`,
                `insert into ${columns} select ${line} where true ${instead}`,
              ]
            : [
                `insert into ${columns} overriding system value values (${line}) ${instead}`,
                `merge into audit using (select 1) as one on true when matched then update set actor = 'forged'`,
                'merge into audit using (select 1) as one on true when matched then delete',
                'truncate audit',
              ];
        for (const statement of statements)
          await assert.rejects(database.query(statement), /append-only/, statement);
        assert.deepEqual(await storage.audit.list(0), before);
        await storage.clients.add(newClient(), newSecret(), anyLine);
        assert.equal((await storage.audit.list(0)).length, before.length + 1, 'control');
      });
    });

    describe('signing keys', () => {
      it('has none in a new database', async () => {
        assert.deepEqual(await storage.signingKeys.list(), []);
      });

      it('keeps one of twenty concurrent first keys, and no later one', async () => {
        const keys = Array.from({ length: 20 }, () => newSigningKey());
        const added = await Promise.all(
          keys.map((key, index) => either(index).signingKeys.addNext(key, null, anyLine)),
        );
        assert.equal(added.filter((isFirst) => isFirst).length, 1);
        const kept = await storage.signingKeys.list();
        assert.equal(kept.length, 1);
        assert.deepEqual(kept[0], keys[added.indexOf(true)]);
        assert.equal(await storage.signingKeys.addNext(newSigningKey(), null, anyLine), false);
        assert.deepEqual(await neighbour.signingKeys.list(), kept);
      });

      it('adds one of ten concurrent next keys, and sets the retirement of the previous one', async () => {
        const [first] = await storage.signingKeys.list();
        const after = { kid: first?.kid ?? '', retiresAt: openedAt + 3_000 };
        const keys = Array.from({ length: 10 }, () => newSigningKey({ signsFrom: openedAt + 1_000 }));
        const added = await Promise.all(
          keys.map((key, index) => either(index).signingKeys.addNext(key, after, anyLine)),
        );
        const next = keys[added.indexOf(true)];
        assert.equal(added.filter((isNext) => isNext).length, 1);
        const former = { ...first, retiresAt: after.retiresAt };
        assert.deepEqual(await neighbour.signingKeys.list(), [former, next]);
      });

      it('allows only the newest key to sign earlier', async () => {
        const [first, next] = await storage.signingKeys.list();
        const earlier = { kid: next?.kid ?? '', signsFrom: openedAt + 500 };
        const before = { kid: first?.kid ?? '', retiresAt: openedAt + 2_500 };
        const other = { ...earlier, kid: before.kid };
        assert.equal(await storage.signingKeys.bringForward(other, before, anyLine), false);
        assert.deepEqual(await neighbour.signingKeys.list(), [first, next]);
        assert.equal(await storage.signingKeys.bringForward(earlier, before, anyLine), true);
        assert.deepEqual(await neighbour.signingKeys.list(), [
          { ...first, retiresAt: before.retiresAt },
          { ...next, signsFrom: earlier.signsFrom },
        ]);
        const later = { ...earlier, signsFrom: openedAt + 600 };
        assert.equal(
          await storage.signingKeys.bringForward(later, before, anyLine),
          false,
          'it signs already',
        );
      });

      it('deletes retired keys only, and returns their ids', async () => {
        const [first, next] = await storage.signingKeys.list();
        const line = (kid: string) => newLine({ action: 'key.retired', subject: kid });
        assert.deepEqual(await storage.signingKeys.deleteRetired(openedAt + 2_499, line), []);
        assert.deepEqual(await storage.signingKeys.deleteRetired(openedAt + 2_500, line), [first?.kid]);
        assert.deepEqual(await storage.signingKeys.deleteRetired(openedAt + 9e9, line), []);
        assert.deepEqual(await neighbour.signingKeys.list(), [next]);
        const lines = (await storage.audit.list(0)).filter(({ action }) => action === 'key.retired');
        assert.deepEqual(lines, [line(first?.kid ?? '')]);
      });
    });

    describe('the connection', () => {
      it('answers a ping', async () => {
        await storage.ping();
      });

      it('shows writes of one connection to another at once', async () => {
        const client = newClient();
        await storage.clients.add(client, newSecret(), anyLine);
        assert.equal((await neighbour.clients.find(client.id))?.id, client.id);
        await neighbour.clients.setState(client.id, 'disabled', anyLine);
        assert.equal((await storage.clients.find(client.id))?.state, 'disabled');
        await neighbour.clients.remove(client.id, anyLine);
        assert.equal(await storage.clients.find(client.id), null);
      });

      it('keeps everything after closing and reopening', async () => {
        const fresh = await createTestDatabase(engine);
        const [client, secret] = [newClient(), newSecret()];
        const writer = await fresh.open();
        await writer.clients.add(client, secret, anyLine);
        await writer.close();
        const reader = await fresh.open();
        assert.deepEqual(await reader.clients.list(), [sealed(client, [secret])]);
        await reader.close();
      });

      it('refuses every call of every store with storage_unavailable after close', async () => {
        const closed = await (await createTestDatabase(engine)).open();
        await load(closed, {});
        await closed.close();
        const { engine: _engine, sessionStatus: _status, close: _close, ...stores } = closed;
        let calls = 0;
        for (const [name, store] of Object.entries(stores))
          for (const [method, call] of Object.entries(typeof store === 'function' ? { store } : store)) {
            calls += 1;
            await assert.rejects(async () => (call as () => unknown)(), isUnavailable, `${name} ${method}`);
          }
        assert.ok(calls > 80, `${calls} calls`);
        await assert.rejects(runBatch(closed, []), isUnavailable);
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
