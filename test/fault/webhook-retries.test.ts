import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { healthAfter, retryAt, retryDelaysMs } from '../../src/events/webhooks/backoff.ts';
import { until } from '../support/run/polling.ts';
import { someEngine } from '../support/services/service.ts';
import { answerWith } from '../support/webhooks/webhook-receiver.ts';
import { type ShownDelivery, webhookStage } from '../support/webhooks/webhook-stage.ts';

const now = Date.UTC(2026, 0, 2);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const well = { failingSince: null, failures: 0, pausedUntil: null };
const ok = { ok: true } as const;
const bad = { ok: false, retryAfterMs: null } as const;
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('the retry schedule of webhooks', () => {
  it('[E145] is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, with a tenth of jitter, and then ends', () => {
    const expected = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
    assert.deepEqual([...retryDelaysMs], expected);
    for (const [index, delay] of expected.entries()) {
      const at = (random: number) => (retryAt(index + 1, now, null, () => random) ?? 0) - now;
      assert.deepEqual([at(0), at(0.5), at(1)], [delay * 0.9, delay, Math.round(delay * 1.1)]);
    }
    assert.equal(retryAt(8, now, null), null);
    assert.equal(retryAt(8, now, 1_000), null);
  });

  it('[E145] honours Retry-After up to a day', () => {
    const at = (retryAfterMs: number) => (retryAt(1, now, retryAfterMs, () => 0.5) ?? 0) - now;
    assert.deepEqual([at(0), at(1_000), at(90_000), at(10 * day)], [5_000, 5_000, 90_000, day]);
  });
});

describe('the circuit breaker of a receiver', () => {
  it('stays closed while deliveries succeed now and then', () => {
    const mixed = [...times(4, bad), ok, ...times(4, bad), ok];
    assert.deepEqual(healthAfter(well, mixed, now), { health: well, retryFailedSince: null });
  });

  it('opens after five failures in a row, with backoff up to five minutes', () => {
    const after = (failures: number) => healthAfter(well, times(failures, bad), now).health;
    assert.deepEqual(after(4), { failingSince: now, failures: 4, pausedUntil: null });
    assert.deepEqual(after(5), { failingSince: now, failures: 5, pausedUntil: now + 5_000 });
    assert.equal(after(6).pausedUntil, now + 10_000);
    assert.equal(after(40).pausedUntil, now + 5 * minute);
    const later = healthAfter(after(5), [bad], now + hour).health;
    assert.deepEqual([later.failingSince, later.failures], [now, 6]);
  });

  it('closes after one success, and failed deliveries are due again', () => {
    const { health: open } = healthAfter(well, times(9, bad), now);
    assert.deepEqual(healthAfter(open, [ok], now + day), { health: well, retryFailedSince: now });
  });

  it('[E145] pauses for Retry-After, even when another delivery succeeds', () => {
    const waits = { ok: false, retryAfterMs: 120_000 } as const;
    const { health } = healthAfter(well, [waits, ok], now);
    assert.deepEqual(health, { ...well, pausedUntil: now + 120_000 });
    assert.equal(
      healthAfter(well, [{ ok: false, retryAfterMs: 9 * day }], now).health.pausedUntil,
      now + day,
    );
  });
});

const delays = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

for (const engine of someEngine) {
  describe(`webhook retries on ${engine}`, () => {
    const stage = webhookStage(engine);

    /** Waits until the only delivery has failed so often. */
    const failedTimes = async (id: string, attempts: number): Promise<ShownDelivery> => {
      const [delivery = assert.fail()] = await until(
        () => stage().deliveries(id),
        ([one]) => one?.attempts === attempts,
        `there are not ${attempts} failures noted`,
      );
      return delivery;
    };
    /** From now to when a delivery is due, by the clock of the service. */
    const untilDue = ({ due_at }: ShownDelivery) => Date.parse(String(due_at)) - stage().declared.now();

    it('[E145] follow the schedule and end as a dead letter that can be sent again', async () => {
      const { receiver, id } = await stage().webhook();
      receiver.answer = answerWith(500);
      await stage().notes(1);
      await receiver.receives(1);
      for (const [index, delay] of delays.entries()) {
        const delivery = await failedTimes(id, index + 1);
        const wait = untilDue(delivery);
        assert.ok(wait > delay * 0.9 - 60_000 && wait <= delay * 1.1, `${wait} ms instead of ${delay}`);
        if (wait > 60_000) {
          await stage().pass(wait - 30_000);
          assert.equal(receiver.received.length, index + 1, 'not before it is due');
        }
        await stage().pass(Math.max(untilDue(delivery), 0) + 10);
        await receiver.receives(index + 2);
      }
      const deadOnes = () => stage().deliveries(id, '--dead');
      const dead = await until(deadOnes, ({ length }) => length === 1, 'it is not given up');
      assert.deepEqual([dead[0]?.attempts, dead[0]?.reason, dead[0]?.due_at], [8, 'status_500', null]);
      await stage().pass(2 * day);
      assert.equal(receiver.received.length, 8, 'it is over');
      receiver.answer = answerWith(200);
      assert.deepEqual(await stage().command('replay', id, '--dead'), { webhook_id: id, deliveries: 1 });
      await receiver.takes(1);
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
      await stage().shows(
        id,
        ({ dead: count, delivered }) => count === 0 && delivered === 1,
        'it is not counted',
      );
    });

    it('[E141] have the same id and body, with a new time and signature', async () => {
      const { receiver, id } = await stage().webhook();
      receiver.answer = answerWith(500);
      await stage().notes(1);
      await failedTimes(id, 1);
      await stage().pass(5_600);
      await failedTimes(id, 2);
      receiver.answer = answerWith(200);
      await stage().pass(5.5 * minute + 10);
      await receiver.takes(1);
      const values = (name: string) => new Set(receiver.received.map(({ headers }) => headers[name]));
      assert.equal(values('webhook-id').size, 1);
      assert.equal(values('webhook-timestamp').size, 3);
      assert.equal(values('webhook-signature').size, 3);
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    });

    it('[E145] go on until a 2xx status', async () => {
      const { receiver, id } = await stage().webhook();
      const statuses = [400, 401, 404, 500, 502, 200];
      receiver.answer = (_received, response) => {
        response.writeHead(statuses[Math.min(receiver.received.length, statuses.length) - 1] ?? 500).end();
      };
      await stage().notes(1);
      for (let tries = 1; tries < statuses.length; tries += 1) {
        await receiver.receives(tries);
        await failedTimes(id, tries);
        await stage().pass((delays[tries - 1] ?? 0) * 1.1 + 10);
      }
      await receiver.takes(1);
      assert.equal(receiver.received.length, statuses.length);
    });

    it('[E136] do not follow redirects', async () => {
      const elsewhere = await stage().receiver();
      for (const status of [301, 302, 303, 307, 308]) {
        const { receiver, id } = await stage().webhook('posts.*');
        receiver.answer = answerWith(status, { location: elsewhere.url });
        await (await stage().person()).make('posts', { text: 'moved' });
        await failedTimes(id, 1);
        const { last_failure: reason } = await stage().show(id);
        assert.equal(reason, 'redirect');
        await stage().command('remove', id, '--yes');
      }
      assert.equal(elsewhere.received.length, 0);
    });

    it('[E145] wait for Retry-After of a 429 or 503, up to a day', async () => {
      const asked: readonly (readonly [number, string, number])[] = [
        [429, '120', 120_000],
        [503, '3600', hour],
        [429, new Date(stage().declared.now() + 600_000).toUTCString(), 0],
        [503, String(30 * 86_400), day],
        [429, 'soon', 0],
        [500, '3600', 0],
      ];
      for (const [status, value, expected] of asked) {
        const { receiver, id } = await stage().webhook('posts.*');
        const ours = { date: new Date(stage().declared.now()).toUTCString() };
        receiver.answer = answerWith(status, { 'retry-after': value, ...ours });
        const writer = await stage().person();
        await writer.make('posts', { text: 'later' });
        const wait = untilDue(await failedTimes(id, 1));
        const least = value.endsWith('GMT') ? 500_000 : expected === 0 ? 0 : expected - 60_000;
        const most = value.endsWith('GMT') ? 610_000 : Math.max(expected, 5_500);
        assert.ok(wait >= least && wait <= most, `${status} ${value}: ${wait}`);
        if (expected > 0) {
          await writer.make('posts', { text: 'waits too' });
          await stage().pass(20_000);
          assert.equal(receiver.received.length, 1, 'nothing is sent meanwhile');
        }
        await stage().command('remove', id, '--yes');
      }
    });

    it('[E145] end at once with 410, which disables the webhook', async () => {
      const { receiver, id } = await stage().webhook('posts.*');
      receiver.answer = answerWith(410);
      const writer = await stage().person();
      await writer.make('posts', { text: 'gone' });
      const shown = await stage().shows(id, ({ state }) => state === 'disabled', 'it is not disabled');
      assert.equal(shown.disabled_because, 'gone');
      await writer.make('posts', { text: 'gone too' });
      await stage().pass(hour);
      assert.equal(receiver.received.length, 1);
      const lines = await stage().declared.audited('webhook.disabled');
      assert.ok(lines.some(({ subject }) => subject === id));
      receiver.answer = answerWith(204);
      await stage().command('enable', id);
      await stage().pass(5_600);
      await receiver.takes(2);
    });

    it('[E148] end after five days of failures, shown by a metric; `webhook enable` and `replay` bring all back', async () => {
      const { receiver, id } = await stage().webhook('posts.*');
      await receiver.stop();
      const writer = await stage().person();
      await writer.make('posts', { text: 'one' });
      await failedTimes(id, 1);
      const logged = (text: RegExp) =>
        stage()
          .declared.service.logLines()
          .filter(({ msg, webhook }) => webhook === id && text.test(String(msg)));
      for (let hours = 0; hours < 95; hours += 5) await stage().pass(5 * hour);
      assert.equal((await stage().show(id)).state, 'active');
      await stage().pass(2 * hour);
      const { failing_since: since, disabled_at: end } = await stage().show(id);
      assert.equal(Date.parse(String(end)) - Date.parse(String(since)), 5 * day);
      const metrics = await stage().declared.service.metrics();
      const failing = Number(
        new RegExp(`^vestibule_webhook_failing_seconds\\{webhook="${id}"\\} (\\S+)`, 'm').exec(metrics)?.[1],
      );
      assert.ok(failing >= 4 * 86_400, metrics);
      // Events during the failure wait, and are not lost.
      const another = await stage().person();
      await another.make('posts', { text: 'two' });
      await stage().pass(25 * hour);
      const shown = await stage().shows(id, ({ state }) => state === 'disabled', 'it is not disabled');
      assert.equal(shown.disabled_because, 'failing');
      const lines = () => logged(/disabled: it has failed/);
      await until(lines, ({ length }) => length === 1, 'it is not logged');
      await receiver.comeBack();
      await stage().pass(hour);
      assert.equal(receiver.received.length, 0);
      await stage().command('enable', id);
      await stage().command('replay', id, '--since', '1');
      await receiver.takes(2);
    });
  });
}
