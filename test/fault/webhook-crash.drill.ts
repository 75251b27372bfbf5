import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { until } from '../support/run/polling.ts';
import { sized } from '../support/run/size.ts';
import { atOnce } from '../support/services/deployment.ts';
import { clockedProcess, databaseEngines, type Service } from '../support/services/service.ts';
import { answerWith, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { type WebhookStage, webhookStage } from '../support/webhooks/webhook-stage.ts';

/** Longer than the lease of a killed process. */
const leaseMs = 31_000;
const hour = 3_600_000;

async function kill({ process }: Service): Promise<void> {
  const gone = once(process, 'exit');
  process.kill('SIGKILL');
  await gone;
}

/** So many concurrent notes of many callers, over all processes. */
async function manyNotes(stage: WebhookStage, count: number): Promise<void> {
  const people = await atOnce(10, () => stage.person());
  await atOnce(10, async (index) => {
    const person = (people[index] ?? assert.fail()).at(stage.declared.serviceAt(index));
    for (let made = 0; made < count / 10; made += 1) await person.make('notes', { text: `${index} ${made}` });
  });
}

/** Checks that every delivery came once and the versions of each record in order. */
function assertInOrder(receiver: WebhookReceiver): void {
  for (const [record, taken] of Map.groupBy(receiver.taken, (one) => one.record)) {
    const positions = taken.map(({ position }) => position);
    const inOrder = [...new Set(positions)].toSorted((one, other) => one - other);
    assert.deepEqual(positions, inOrder, record);
  }
}

for (const engine of databaseEngines) {
  describe(`webhooks of a killed process, on ${engine}`, () => {
    const stage = webhookStage(engine, 1, { ...clockedProcess, READS_PER_MINUTE: '1000000' });
    const service = () => stage().declared.service;
    const comeBack = async (later = leaseMs) => {
      await stage().ageLease(later);
      await stage().declared.restart(0, { afterMs: later });
    };

    it('[E144] a thousand waiting deliveries are all made by the next process', async () => {
      const { receiver, id } = await stage().webhook();
      await receiver.stop();
      await manyNotes(stage(), 1_000);
      await until(
        () =>
          plainSql(stage().settings).query(
            `select count(*) as count from deliveries where webhook_id = '${id}'`,
          ),
        ([row]) => Number(row?.count) === 1_000,
        'not all of them wait',
      );
      await kill(service());
      await receiver.comeBack();
      // No pause of the circuit is longer than five minutes.
      await comeBack(leaseMs + 6 * 60_000);
      await receiver.takes(1_000, 60_000);
      assertInOrder(receiver);
      assert.equal(receiver.taken.length, 1_000, 'each of them once');
      await stage().shows(id, ({ delivered }) => delivered === 1_000, 'not all are noted');
    });

    it('a delivery is repeated with the same id when the process died before it noted the answer', async () => {
      const { receiver } = await stage().webhook();
      // The checks of the tests have the document of the process before it is killed.
      await (await stage().person()).all('notes');
      const dying = service();
      let answered: Promise<unknown> = Promise.resolve();
      receiver.answer = (_received, response) => {
        // The process is killed before it reads the answer.
        answered = kill(dying).then(() => response.writeHead(204).end());
      };
      await stage().notes(1);
      const [first = assert.fail()] = await receiver.receives(1);
      await answered;
      receiver.answer = answerWith(204);
      await comeBack();
      await receiver.receives(2);
      const again = receiver.received.at(-1);
      assert.equal(receiver.received.length, 2);
      assert.equal(again?.headers['webhook-id'], first.headers['webhook-id']);
      assert.equal(again?.body, first.body);
    });

    it('deliveries keep the order of each record after a day without a receiver', async () => {
      const { receiver, id } = await stage().webhook();
      await receiver.stop();
      const writer = await stage().person();
      const ids = await stage().notes(5, writer);
      for (let hours = 0; hours < 24; hours += 4) {
        await stage().pass(4 * hour);
        const writes = (await stage().person()).at(service());
        await stage().notes(1, writes);
        const again = (await stage().declared.person({ sub: 'the same every time' })).at(service());
        await stage().notes(1, again);
      }
      const fresh = await stage().declared.person({ sub: 'the same every time' });
      const mine = await fresh.all('notes');
      for (const { id: note } of mine)
        for (const text of ['one', 'two', 'three']) await fresh.send('PATCH', `/notes/${note}`, { text });
      const expected = ids.length + 12 + mine.length * 3;
      await receiver.comeBack();
      // Until the circuit lets something through. With the first success all the others follow.
      for (let hours = 0; hours < 12 && receiver.taken.length === 0; hours += 1) {
        await stage().pass(hour);
        await receiver.takes(1, 2_000).catch(() => {});
      }
      await receiver.takes(expected);
      assertInOrder(receiver);
      assert.equal(receiver.taken.length, expected, 'each of them once');
      const left = () => stage().deliveries(id);
      await until(left, ({ length }) => length === 0, 'something is left');
    });
  });

  describe(`webhooks of two processes on ${engine}`, () => {
    const stage = webhookStage(engine, 2, clockedProcess);

    /** Which of the two has delivered anything. */
    const holder = async (): Promise<number> => {
      const counts = await Promise.all(
        stage().declared.services.map(async (service) =>
          Number(
            /^vestibule_webhook_deliveries_total\{result="delivered"\} (\d+)/m.exec(
              await service.metrics(),
            )?.[1] ?? 0,
          ),
        ),
      );
      return (counts[0] ?? 0) > 0 ? 0 : 1;
    };

    it("[E147] are delivered once, and by the other process after a killed one's lease has expired", async () => {
      const { receiver, id } = await stage().webhook();
      await manyNotes(stage(), 200);
      await receiver.takes(200);
      await stage().shows(id, ({ delivered }) => delivered === 200, 'not all are noted');
      assert.equal(receiver.received.length, 200, 'nothing twice');
      const waiting: (() => void)[] = [];
      receiver.answer = (_received, response) => waiting.push(() => response.destroy());
      const dying = await holder();
      const other = 1 - dying;
      const writer = (await stage().person()).at(stage().declared.serviceAt(other));
      await stage().notes(3, writer);
      await receiver.receives(203);
      await kill(stage().declared.serviceAt(dying));
      for (const end of waiting) end();
      receiver.answer = answerWith(204);
      await stage().ageLease(10_000);
      await stage().declared.serviceAt(other).advance(10_000);
      assert.equal(receiver.received.length, 203, 'its lease has not ended yet');
      await stage().ageLease(25_000);
      await stage().declared.serviceAt(other).advance(25_000);
      await receiver.takes(203);
      assert.equal(receiver.received.length, 206);
      await stage().declared.restart(dying);
    });
  });

  describe(`[F160] webhooks of a stopping process, on ${engine}`, () => {
    const stage = webhookStage(engine, 1, clockedProcess);

    it('[E148] release the lease at once; an unanswered delivery does not count as an attempt', async () => {
      const { receiver, id } = await stage().webhook();
      receiver.answer = () => {};
      await stage().notes(1);
      await receiver.receives(1);
      await stage().declared.service.stop();
      assert.deepEqual(await plainSql(stage().settings).query('select holder from leases'), []);
      const [delivery] = await stage().deliveries(id);
      assert.deepEqual([delivery?.state, delivery?.attempts], ['pending', 0]);
      receiver.answer = answerWith(204);
      await stage().declared.restart();
      await receiver.takes(1);
      assert.equal(receiver.received.length, 2);
    });
  });
}

describe('a dead receiver with ten thousand waiting events', () => {
  const stage = webhookStage('sqlite');

  /** The milliseconds from the 201 of each note to its delivery. */
  const delays = async (receiver: WebhookReceiver, count: number): Promise<string> => {
    const writer = await stage().person();
    const made = new Map<string, number>();
    const before = receiver.taken.length;
    for (let index = 0; index < count; index += 1) {
      const { record } = await writer.make('notes', { text: `${index}` });
      made.set(record.id, performance.now());
    }
    const taken = (await receiver.takes(before + count)).slice(before);
    const sorted = taken
      .map(({ record, at }) => at - (made.get(record) ?? at))
      .toSorted((one, other) => one - other);
    const share = (part: number) => (sorted[Math.floor(part * (count - 1))] ?? 0).toFixed(1);
    return `p50 ${share(0.5)} ms, p99 ${share(0.99)} ms`;
  };

  it('[E146] takes eight connections at a time and does not delay others', async (t) => {
    const dead = await stage().webhook('posts.*');
    dead.receiver.answer = () => {};
    const live = await stage().webhook('notes.*');
    // Warms up.
    await delays(live.receiver, 30);
    t.diagnostic(`without it ${await delays(live.receiver, 100)}`);
    const { query } = plainSql(stage().settings);
    await query(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
      insert into events (position, at, type, collection, record_id, owner, data)
      select (select coalesce(max(position), 0) from events) + n, ${Date.now()}, 'posts.created', 'posts', 'r' || n, 'usr_x', '{"id":"r' || n || '"}'
      from numbers`);
    await dead.receiver.receives(8);
    t.diagnostic(`beside it ${await delays(live.receiver, 100)}`);
    assert.equal(dead.receiver.received.length, 8, 'while those to the dead one are still under way');
    // Fifteen seconds for each attempt, and pauses that grow to five minutes.
    for (let round = 0; round < 12; round += 1) {
      await stage().pass(15_000);
      await stage().pass(30_000);
    }
    assert.ok(dead.receiver.open <= 8, `${dead.receiver.open} connections`);
    assert.ok(dead.receiver.received.length <= 8 * 4, `${dead.receiver.received.length} attempts`);
    t.diagnostic(`while its circuit is open ${await delays(live.receiver, 100)}`);
    const pending = await query(
      `select sum(attempts) as tries from deliveries where webhook_id = '${dead.id}'`,
    );
    assert.ok(Number(pending[0]?.tries) <= 8 * 4, 'the others have lost no attempt');
    dead.receiver.answer = answerWith(204);
    for (let tries = 0; tries < 6 && dead.receiver.taken.length === 0; tries += 1) {
      await stage().pass(5 * 60_000);
      await dead.receiver.takes(1, 3_000).catch(() => {});
    }
    await dead.receiver.takes(sized(1_000, 10_000), 120_000);
  });
});
