import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { NewDelivery, NewEvent, NewWebhook, Storage } from '../../src/storage/port.ts';
import { apply } from '../support/databases/batches.ts';
import { openedAt, openTwice, storageKinds, type TestDatabase } from '../support/databases/databases.ts';
import { anyLine, erasureOf, everyByte, newEvent, newLine } from '../support/databases/records.ts';
import { newResults, newWebhook, refuseDeliveries } from '../support/webhooks/webhook-rows.ts';

const later = openedAt + 30_000;
const any = { limit: 100, exceptKeys: [] };

for (const engine of storageKinds) {
  describe(`the storage contract of webhooks on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let neighbour: Storage;
    let webhook: NewWebhook;
    openTwice(engine, (opened) => {
      ({ database, storage, neighbour } = opened);
    });
    beforeEach(async () => {
      for (const { id } of await storage.webhooks.list()) await storage.webhooks.remove(id, anyLine);
      webhook = newWebhook();
      await storage.webhooks.add(webhook, anyLine);
    });

    /** Appends events; returns their positions. */
    const happen = async (...changes: readonly Partial<NewEvent>[]): Promise<number[]> => {
      const { last } = await storage.events.extent();
      await apply(storage, { events: changes.map((each, index) => newEvent(index, each)) });
      return changes.map((_, index) => last + index + 1);
    };
    const positionNow = async () => (await storage.webhooks.find(webhook.id))?.position ?? assert.fail();
    /** Advances from the webhook's current position. */
    const advance = async (to: number, found: readonly NewDelivery[]) =>
      storage.webhooks.advance(webhook.id, { from: await positionNow(), to, found, now: openedAt });
    /** Appends events and queues them for the webhook. */
    const queue = async (...keys: readonly string[]): Promise<number[]> => {
      const positions = await happen(...keys.map(() => ({})));
      const found = positions.map((position, index) => ({ position, key: keys[index] ?? '' }));
      assert.equal(await advance(positions.at(-1) ?? 0, found), true);
      return positions;
    };
    const due = async (now = openedAt, limit = 100) =>
      (await storage.deliveries.due(webhook.id, now, { ...any, limit })).map(({ position }) => position);
    const listed = () => storage.deliveries.list(webhook.id, null, 100);
    const record = (results: Parameters<typeof newResults>[0]) =>
      storage.deliveries.record(webhook.id, newResults(results));

    it('are found as added, start at the end of the log, and are listed by creation time', async () => {
      await happen({}, {});
      const { last } = await storage.events.extent();
      const secrets = { current: everyByte, previous: { sealed: everyByte, endsAt: later } };
      const second = newWebhook({ createdAt: openedAt - 1, secrets });
      await storage.webhooks.add(second, newLine({ action: 'webhook.added' }));
      const found = await neighbour.webhooks.find(second.id);
      assert.deepEqual(found, {
        ...second,
        state: 'active',
        disabledBecause: null,
        position: last,
        failingSince: null,
        failures: 0,
        pausedUntil: null,
        lastSuccessAt: null,
        lastFailure: null,
        delivered: 0,
      });
      assert.equal((await storage.webhooks.list()).map(({ id }) => id).join(), `${second.id},${webhook.id}`);
      assert.equal(await storage.webhooks.find('whk_nobody'), null);
      assert.equal((await storage.audit.list(0)).at(-1)?.action, 'webhook.added');
    });

    it('are disabled and enabled once each, with an audit line each time', async () => {
      const lines = async () => (await storage.audit.list(0)).length;
      const before = await lines();
      const off = { state: 'disabled', because: 'gone' } as const;
      assert.equal(await storage.webhooks.setState(webhook.id, off, anyLine), true);
      assert.equal(await storage.webhooks.setState(webhook.id, off, anyLine), false);
      assert.equal((await storage.webhooks.find(webhook.id))?.disabledBecause, 'gone');
      assert.equal(await storage.webhooks.setState(webhook.id, { state: 'active' }, anyLine), true);
      assert.equal(await storage.webhooks.setState('whk_nobody', { state: 'active' }, anyLine), false);
      assert.equal(await lines(), before + 2);
      const { state, disabledBecause } = (await storage.webhooks.find(webhook.id)) ?? {};
      assert.deepEqual([state, disabledBecause], ['active', null]);
    });

    it('accept the secrets of one of two concurrent rotations', async () => {
      const { current } = webhook.secrets;
      const rotated = [storage, neighbour].map(({ webhooks }, index) => {
        const fresh = new Uint8Array([index]);
        const secrets = { current: fresh, previous: { sealed: current, endsAt: later } };
        return webhooks.replaceSecrets(webhook.id, current, secrets, anyLine);
      });
      assert.deepEqual((await Promise.all(rotated)).toSorted(), [false, true]);
      assert.deepEqual((await storage.webhooks.find(webhook.id))?.secrets.previous, {
        sealed: current,
        endsAt: later,
      });
    });

    describe('queued deliveries', () => {
      it('are stored together with the position, or neither is', async () => {
        const [position = 0] = await happen({});
        assert.equal(await advance(position, [{ position, key: 'k' }]), true);
        assert.equal(await positionNow(), position);
        assert.deepEqual(await due(), [position]);
      });

      it('[E147] are queued once when two processes read the same part of the log', async () => {
        const from = await positionNow();
        const [position = 0] = await happen({});
        const step = { from, to: position, found: [{ position, key: 'k' }], now: openedAt };
        const both = [storage, neighbour].map(({ webhooks }) => webhooks.advance(webhook.id, step));
        assert.deepEqual((await Promise.all(both)).toSorted(), [false, true]);
        assert.deepEqual(await due(), [position]);
        await record({ delivered: [{ position, dueAt: openedAt }] });
        assert.equal(await neighbour.webhooks.advance(webhook.id, step), false);
        assert.deepEqual(await listed(), [], 'what was delivered is not queued again');
      });

      it('[E142] are stored together with the position also when the database fails in between', async () => {
        const [position = 0] = await happen({});
        const before = await positionNow();
        const endFault = await refuseDeliveries(database);
        const found = [{ position, key: 'k' }];
        await assert.rejects(advance(position, found));
        await endFault();
        assert.equal(await positionNow(), before);
        assert.deepEqual(await listed(), []);
        assert.equal(await advance(position, found), true);
        assert.deepEqual(await due(), [position]);
      });

      it('exclude events erased meanwhile', async () => {
        const [kept = 0, gone = 0] = await happen({}, { owner: 'usr_leaving' });
        await happen({});
        await database.query(`delete from events where position = ${gone}`);
        const found = [kept, gone].map((position) => ({ position, key: String(position) }));
        await advance(gone, found);
        assert.deepEqual(await due(), [kept]);
      });

      it('include their events', async () => {
        const event = newEvent(7, { recordId: 'r7', data: '{"number":7}' });
        await apply(storage, { events: [event] });
        const { last } = await storage.events.extent();
        const found = [{ position: last, key: 'notes/r7' }];
        await advance(last, found);
        assert.deepEqual(await storage.deliveries.due(webhook.id, openedAt, any), [
          {
            position: last,
            attempts: 0,
            dueAt: openedAt,
            state: 'pending',
            reason: null,
            triedAt: null,
            event: { position: last, ...event },
          },
        ]);
      });
    });

    describe('due deliveries', () => {
      it('are the first of each record, by position, up to the limit', async () => {
        const [a1, b1, a2, c1] = await queue('a', 'b', 'a', 'c');
        assert.deepEqual(await due(), [a1, b1, c1]);
        assert.deepEqual(await due(openedAt, 2), [a1, b1]);
        const others = await storage.deliveries.due(webhook.id, openedAt, { ...any, exceptKeys: ['a', 'c'] });
        assert.deepEqual([...others.map(({ position }) => position)], [b1]);
        await record({ delivered: [{ position: a1 as number, dueAt: openedAt }] });
        assert.deepEqual(await due(), [b1, a2, c1]);
      });

      it('exclude those behind a failed one of the same record only', async () => {
        const [a1 = 0, a2, b1] = await queue('a', 'a', 'b');
        const failed = [{ position: a1, reason: 'timeout', retryAt: later }];
        await record({ failed });
        assert.deepEqual(await due(), [b1]);
        assert.equal(await storage.deliveries.nextDueAt(webhook.id, openedAt), later);
        assert.deepEqual(await due(later), [a1, b1]);
        const [first] = await listed();
        assert.deepEqual([first?.attempts, first?.reason, first?.triedAt], [1, 'timeout', openedAt]);
        const dead = [{ position: a1, reason: 'status_500', retryAt: null }];
        await record({ failed: dead });
        assert.deepEqual(await due(), [a2, b1], 'what was given up holds nobody back');
      });

      it('include those that a wrong clock postponed, and those never tried', async () => {
        const [one = 0, other = 0] = await queue('a', 'b');
        const [ahead, retryAt] = [openedAt + 3_600_000, openedAt + 3_605_000];
        const failed = [{ position: one, reason: 'x', retryAt }];
        await record({ at: ahead, failed });
        assert.deepEqual(await due(ahead), [other]);
        assert.deepEqual(await due(openedAt), [one, other]);
        assert.deepEqual(await due(openedAt - 3_600_000), [one, other]);
      });

      it('include those that failed while the circuit was open, once it closes', async () => {
        const [a = 0, b = 0] = await queue('a', 'b');
        const fail = (position: number, at: number) =>
          record({ at, failed: [{ position, reason: 'x', retryAt: openedAt + 3_600_000 }] });
        await fail(a, openedAt + 1);
        await fail(b, openedAt + 10);
        await record({ at: openedAt + 20, retryFailedSince: openedAt + 10 });
        assert.deepEqual(await due(openedAt + 20), [b]);
      });
    });

    it('make failed deliveries due when they are enabled', async () => {
      const [position = 0] = await queue('k');
      const failed = [{ position, reason: 'status_500', retryAt: openedAt + 36_000_000 }];
      await record({ failed });
      assert.deepEqual(await due(later), []);
      await storage.webhooks.setState(webhook.id, { state: 'disabled', because: 'failing' }, anyLine);
      await storage.webhooks.setState(webhook.id, { state: 'active' }, newLine({ at: later }));
      assert.deepEqual(await due(later), [position]);
    });

    it('store the health of the receiver', async () => {
      const [a = 0, b = 0] = await queue('a', 'b');
      const health = { failingSince: 5, failures: 6, pausedUntil: 8 };
      const failed = [{ position: b, reason: 'status_503', retryAt: later }];
      await record({ at: 9, delivered: [{ position: a, dueAt: openedAt }], failed, health });
      const found = await storage.webhooks.find(webhook.id);
      const { failingSince, failures, pausedUntil, lastSuccessAt, lastFailure, delivered } = found ?? {};
      assert.deepEqual({ failingSince, failures, pausedUntil }, health);
      assert.deepEqual([lastSuccessAt, lastFailure, delivered], [9, 'status_503', 1]);
      await storage.webhooks.setState(webhook.id, { state: 'disabled', because: 'failing' }, anyLine);
      await storage.webhooks.setState(webhook.id, { state: 'active' }, anyLine);
      const again = await storage.webhooks.find(webhook.id);
      assert.deepEqual([again?.failingSince, again?.failures, again?.pausedUntil], [null, 0, null]);
    });

    it('can repeat delivered and dead deliveries', async () => {
      const [a = 0, b = 0] = await queue('a', 'b');
      const dead = [{ position: b, reason: 'x', retryAt: null }];
      await record({ delivered: [{ position: a, dueAt: openedAt }], failed: dead });
      assert.deepEqual(await due(), []);
      const counts = async () =>
        (await storage.deliveries.counts()).find(({ webhookId }) => webhookId === webhook.id);
      assert.deepEqual(await counts(), { webhookId: webhook.id, dead: 1, oldestAt: null });
      assert.equal(await storage.deliveries.reviveDead(webhook.id, later), 1);
      assert.equal(await storage.deliveries.sendAgain(webhook.id, [{ position: a, key: 'a' }], later), 1);
      assert.deepEqual(await due(later), [a, b]);
      for (const { attempts, reason } of await listed()) assert.deepEqual([attempts, reason], [0, null]);
      assert.deepEqual(await counts(), { webhookId: webhook.id, dead: 0, oldestAt: openedAt });
      const unknown = [{ position: 999_999, key: 'a' }];
      assert.equal(await storage.deliveries.sendAgain(webhook.id, unknown, later), 0);
    });

    it('can repeat a delivery whose first success is recorded only later', async () => {
      const [position = 0] = await queue('a');
      const delivered = [{ position, dueAt: openedAt }];
      await storage.deliveries.sendAgain(webhook.id, [{ position, key: 'a' }], later);
      await record({ delivered });
      assert.deepEqual(await due(later), [position]);
    });

    it('lose pending deliveries of erased events', async () => {
      const owner = 'usr_leaving';
      await apply(storage, { newConsumers: [{ id: owner, kind: 'user', state: 'active', registeredAt: 1 }] });
      const [a = 0, b = 0] = await happen({ owner }, {});
      const found = [a, b].map((position) => ({ position, key: String(position) }));
      await advance(b, found);
      await storage.records.erase(owner, anyLine, erasureOf(owner));
      assert.deepEqual(await due(), [b]);
      while ((await storage.events.prune({ before: Number.MAX_SAFE_INTEGER, ahead: 1e15 }, 100)) > 0);
      assert.deepEqual(await due(), []);
    });

    it('are removed with their pending deliveries', async () => {
      await queue('a', 'b');
      assert.equal(await storage.webhooks.remove(webhook.id, anyLine), true);
      assert.equal(await storage.webhooks.remove(webhook.id, anyLine), false);
      assert.deepEqual(await listed(), []);
      assert.deepEqual(await database.query('select * from deliveries'), []);
    });
  });
}
