import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Clock, ConfirmedTime } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { WebhookDispatcher } from '../../src/events/webhooks/dispatcher.ts';
import type { Sending, Sent } from '../../src/events/webhooks/send.ts';
import type { Box } from '../../src/events/webhooks/signing.ts';
import { BackgroundLease } from '../../src/ops/background-lease.ts';
import type { NewEvent, NewWebhook, Storage } from '../../src/storage/port.ts';
import { apply } from '../support/databases/batches.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases/databases.ts';
import { anyLine, newEvent, newLine } from '../support/databases/records.ts';
import { until } from '../support/run/polling.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { newResults, newWebhook } from '../support/webhooks/webhook-rows.ts';

/** Every webhook in the database counts as written by this service. */
const openBox: Box = { seal: (plain) => plain, unseal: (sealed) => sealed };

const silent = createLog('silent');

/** A dispatcher over a real storage. Its messages go into a list, or to a function of the test. */
function dispatching(
  storage: Pick<Storage, 'webhooks' | 'deliveries' | 'events' | 'leases'>,
  clock: Clock,
  send: (sending: Sending) => Promise<Sent> = async () => ({ ok: true, status: 204 }),
) {
  const sent: string[] = [];
  let tell: () => void = () => {};
  const lease = new BackgroundLease({ store: storage.leases, clock });
  const dispatcher = new WebhookDispatcher({
    ...storage,
    lease,
    tail: {
      last: 0,
      subscribe(listener) {
        tell = () => listener([]);
        return () => {};
      },
    },
    send: (sending) => {
      sent.push(String(sending.headers['webhook-id']));
      return send(sending);
    },
    box: openBox,
    source: 'https://api.example.org',
    onTried: () => {},
    audit: (action, subject) => newLine({ action, subject }),
    clock,
    time: new ConfirmedTime(clock, silent),
    log: silent,
  });
  return {
    dispatcher,
    /** Also releases the lease. */
    async stop() {
      await dispatcher.stop(0);
      await lease.stop();
    },
    /** The ids of the sent messages, in order. */
    sent,
    /** Something was appended to the log. */
    tell: () => tell(),
  };
}

const day = 86_400_000;

describe('the webhook dispatcher', () => {
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
  /** Time passes for the holder of the lease. */
  const age = (milliseconds: number) =>
    database.query(`update leases set ends_at = ends_at - ${milliseconds}`);
  const stored = async () => (await storage.webhooks.find(webhook.id)) ?? assert.fail();

  for (const hours of [-1, 1])
    it(`[E147] sends nothing while another process holds the lease, also with a clock ${hours} h ahead`, async (t) => {
      const other = new MovableClock();
      other.stepWallClock(hours * 3_600_000);
      const one = dispatching(storage, clock);
      const another = dispatching(storage, other);
      t.after(() => Promise.all([one.stop(), another.stop()]));
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
      // Waits for deliveries in flight.
      await Promise.all([one.stop(), another.stop()]);
      assert.deepEqual([one.sent.length, another.sent], [5, []]);
    });

  it('ignores a pause longer than a receiver can request, left by a wrong clock', async (t) => {
    const health = { failingSince: null, failures: 0, pausedUntil: clock.now() + 365 * day };
    await storage.deliveries.record(webhook.id, newResults({ health }));
    await happen();
    const { dispatcher, stop, sent } = dispatching(storage, clock);
    t.after(stop);
    await dispatcher.start();
    await sends(sent, 1);
  });

  it('sends nothing twice when a position is saved while events are queued', async (t) => {
    const { webhooks, events } = storage;
    const isSaving = Promise.withResolvers<void>();
    const save = Promise.withResolvers<void>();
    const isFound = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow: Storage['webhooks'] = {
      ...webhooks,
      async advance(id, step) {
        if (step.found.length > 0) {
          isFound.resolve();
          await goOn.promise;
        } else {
          isSaving.resolve();
          await save.promise;
        }
        return webhooks.advance(id, step);
      },
    };
    const { dispatcher, stop, sent, tell } = dispatching({ ...storage, webhooks: slow }, clock);
    t.after(stop);
    await dispatcher.start();
    await happen({ type: 'posts.created' });
    tell();
    await isSaving.promise;
    await happen();
    tell();
    save.resolve();
    await isFound.promise;
    clock.advance(10_000);
    goOn.resolve();
    await sends(sent, 1);
    tell();
    const { last } = await events.extent();
    await until(stored, ({ position }) => position === last, 'the position is not saved');
    await stop();
    assert.equal(sent.length, 1);
  });

  it('sends new events at reused positions after the database lost its last commits', async (t) => {
    const { dispatcher, stop, sent, tell } = dispatching(storage, clock);
    t.after(stop);
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

  it('[E147] a process frozen until another took the lease sends nothing', async (t) => {
    const { deliveries, leases } = storage;
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
    const { dispatcher, stop, sent } = dispatching({ ...storage, deliveries: slow }, clock);
    t.after(stop);
    await happen();
    await dispatcher.start();
    await isAsked.promise;
    await age(60_000);
    assert.equal(await leases.take('background', 'another', 30_000), true);
    t.after(() => leases.release('background', 'another'));
    clock.advance(60_000);
    goOn.resolve();
    await stop();
    assert.deepEqual(sent, []);
  });

  it('does not disable a webhook for failures days ago when nothing was sent since', async (t) => {
    const failing = async () =>
      ({ ok: false, status: 400, reason: 'status_400', retryAfterMs: null }) as const;
    const { dispatcher, stop, sent } = dispatching(storage, clock, failing);
    t.after(stop);
    await happen();
    await dispatcher.start();
    for (let tries = 1; tries <= 8; tries += 1) {
      await sends(sent, tries);
      const newest = () => storage.deliveries.list(webhook.id, null, 1);
      await until(newest, ([one]) => one?.attempts === tries, 'it is not noted');
      if (tries < 8) {
        clock.advance(12 * 3_600_000);
        await dispatcher.look();
      }
    }
    assert.equal((await storage.deliveries.list(webhook.id, 'dead', 10)).length, 1);
    for (let hours = 0; hours < 130; hours += 10) {
      clock.advance(10 * 3_600_000);
      await dispatcher.look();
    }
    assert.equal((await stored()).state, 'active');
  });
});
