import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent, NewWebhook, Storage } from '../../src/storage/port.ts';
import { apply } from '../support/batches.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { dispatching } from '../support/dispatching.ts';
import { MovableClock } from '../support/movable-clock.ts';
import { until } from '../support/polling.ts';
import { anyLine, newEvent } from '../support/records.ts';
import { newTried, newWebhook } from '../support/webhook-rows.ts';

const day = 86_400_000;

describe('a webhook that a process holds', () => {
  let database: TestDatabase;
  let storage: Storage;
  let webhook: NewWebhook;
  let clock: MovableClock;
  before(async () => {
    database = await createTestDatabase('sqlite');
    storage = await database.open();
  });
  after(() => storage.close());
  beforeEach(async () => {
    clock = new MovableClock();
    for (const { id } of await storage.webhooks.list()) await storage.webhooks.remove(id, anyLine);
    webhook = newWebhook();
    await storage.webhooks.add(webhook, anyLine);
  });

  const happen = (changes: Partial<NewEvent> = {}) => apply(storage, { events: [newEvent(0, changes)] });
  const sends = (sent: readonly string[], count: number) =>
    until(
      () => sent.length,
      (found) => found >= count,
      `${count} are not sent`,
      3_000,
    );
  /** So much time passes for who holds them. */
  const age = (milliseconds: number) =>
    database.query(`update webhooks set lease_until = lease_until - ${milliseconds}`);
  const stored = async () => (await storage.webhooks.find(webhook.id)) ?? assert.fail();

  it('is taken from one that took it by a clock that was far ahead, and is gone', async (t) => {
    await storage.webhooks.lease('gone', 30_000);
    await age(-365 * day);
    await happen();
    const { dispatcher, sent } = dispatching(storage, clock);
    t.after(() => dispatcher.stop(0));
    await dispatcher.start();
    await sends(sent, 1);
  });

  for (const hours of [-1, 1])
    it(`is left to it by a process whose clock is ${hours} h ahead`, async (t) => {
      const other = new MovableClock();
      other.stepWallClock(hours * 3_600_000);
      const one = dispatching(storage, clock);
      const another = dispatching(storage, other);
      t.after(() => Promise.all([one.dispatcher.stop(0), another.dispatcher.stop(0)]));
      await one.dispatcher.start();
      await another.dispatcher.start();
      for (let round = 1; round <= 5; round += 1) {
        await happen();
        for (const each of [clock, other]) each.advance(5_000);
        for (const { dispatcher, tell } of [one, another]) {
          await dispatcher.look();
          tell();
        }
        await sends(one.sent, round);
      }
      await pause(200);
      assert.deepEqual([one.sent.length, another.sent], [5, []]);
    });

  it('is not paused for longer than a receiver can ask for, by a clock that was far ahead', async (t) => {
    const health = {
      failingSince: null,
      failures: 0,
      restingSince: null,
      pausedUntil: clock.now() + 365 * day,
    };
    await storage.deliveries.note(webhook.id, newTried({ health }));
    await happen();
    const { dispatcher, sent } = dispatching(storage, clock);
    t.after(() => dispatcher.stop(0));
    await dispatcher.start();
    await sends(sent, 1);
  });

  it('gets nothing twice when it is noted how far the log was looked through while something is found in it', async (t) => {
    const { webhooks, deliveries, events } = storage;
    const isFound = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow: Storage['webhooks'] = {
      ...webhooks,
      async advance(id, holder, looked) {
        if (looked.found.length > 0) {
          isFound.resolve();
          await goOn.promise;
        } else await pause(100);
        return webhooks.advance(id, holder, looked);
      },
    };
    const { dispatcher, sent, tell } = dispatching({ webhooks: slow, deliveries, events }, clock);
    t.after(() => dispatcher.stop(0));
    await dispatcher.start();
    await happen({ type: 'posts.created' });
    tell();
    await pause(100);
    await happen();
    tell();
    await isFound.promise;
    clock.advance(10_000);
    await pause(50);
    goOn.resolve();
    await sends(sent, 1);
    await pause(200);
    tell();
    await pause(200);
    assert.equal(sent.length, 1);
    assert.equal((await stored()).position, (await events.extent()).last);
  });

  it('gets what happens at positions that are given again, after the database has lost its last commits', async (t) => {
    const { dispatcher, sent, tell } = dispatching(storage, clock);
    t.after(() => dispatcher.stop(0));
    await dispatcher.start();
    for (let number = 0; number < 3; number += 1) await happen();
    tell();
    await sends(sent, 3);
    await until(stored, ({ delivered }) => delivered === 3, 'they are not noted');
    const { last } = await storage.events.extent();
    await database.query(`delete from events where position > ${last - 2}`);
    await database.query(`update webhooks set position = ${last - 2}`);
    await happen();
    tell();
    await sends(sent, 4);
  });

  it('gets nothing from a process that was frozen until somebody else had it', async (t) => {
    const { webhooks, deliveries, events } = storage;
    const isAsked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow: Storage['deliveries'] = {
      ...deliveries,
      async due(...query) {
        const due = await deliveries.due(...query);
        if (due.length > 0) isAsked.resolve();
        if (due.length > 0) await goOn.promise;
        return due;
      },
    };
    const { dispatcher, sent } = dispatching({ webhooks, deliveries: slow, events }, clock);
    t.after(() => dispatcher.stop(0));
    await happen();
    await dispatcher.start();
    await isAsked.promise;
    await age(60_000);
    await webhooks.lease('another', 30_000);
    clock.advance(60_000);
    goOn.resolve();
    await pause(200);
    assert.deepEqual(sent, []);
  });

  it('is not disabled for what it refused days ago, when it was given nothing since', async (t) => {
    const failing = async () =>
      ({ ok: false, status: 400, reason: 'status_400', retryAfterMs: null }) as const;
    const { dispatcher, sent } = dispatching(storage, clock, failing);
    t.after(() => dispatcher.stop(0));
    await happen();
    await dispatcher.start();
    for (let tries = 1; tries <= 8; tries += 1) {
      await sends(sent, tries);
      await until(
        () => storage.deliveries.list(webhook.id, null, 1),
        ([one]) => one?.attempts === tries,
        'it is not noted',
      );
      if (tries < 8)
        for (let hours = 0; hours < 12 && sent.length === tries; hours += 1) {
          clock.advance(3_600_000);
          await dispatcher.look();
          await pause(30);
        }
    }
    assert.equal((await storage.deliveries.list(webhook.id, 'dead', 10)).length, 1);
    for (let hours = 0; hours < 130; hours += 10) {
      clock.advance(10 * 3_600_000);
      await dispatcher.look();
    }
    assert.equal((await stored()).state, 'active');
  });

  it('is given back once, however often the process is told to stop', async () => {
    let released = 0;
    const { webhooks, deliveries, events } = storage;
    const counting: Storage['webhooks'] = {
      ...webhooks,
      release: (...held) => {
        released += 1;
        return webhooks.release(...held);
      },
    };
    const { dispatcher } = dispatching({ webhooks: counting, deliveries, events }, clock);
    await dispatcher.start();
    await Promise.all([dispatcher.stop(1_000), dispatcher.stop(1_000)]);
    await dispatcher.stop(1_000);
    assert.equal(released, 1);
    assert.equal((await stored()).leaseHolder, null);
  });
});
