import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { until } from '../support/run/polling.ts';
import { eventDeclarations } from '../support/services/declarations.ts';
import { atOnce, dayMs, deployment, hourMs } from '../support/services/deployment.ts';
import { runVestibule, someEngine } from '../support/services/service.ts';

for (const engine of someEngine)
  describe(`GET /events as a stream, at two processes on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations: eventDeclarations });
    const house = () => two().machine('house');
    const idOf = async (caller: ApiCaller) => String((await caller.get('/me')).json().id);
    const elsewhere = (caller: ApiCaller) => caller.at(two().serviceAt(1));
    const change = async (caller: ApiCaller, method: string, path: string, body?: object) => {
      const reply = await caller.send(method, path, body);
      assert.ok(reply.status < 300, reply.text);
      return reply;
    };

    it('starts at the current position and sends only changes of own records, from any process', async () => {
      const [caller, other] = [await two().person(), await two().person()];
      await caller.make('notes', { text: 'before' });
      const stream = await EventStream.open(caller);
      const [start] = stream.all;
      assert.equal(start?.type, 'start');
      assert.deepEqual(start?.data, { position: Number(start?.id) });
      assert.match(stream.text, /^retry: \d+\n/);
      await other.make('notes', { text: 'not for this one' });
      const { record } = await elsewhere(caller).make('notes', { text: 'one' });
      await change(caller, 'PATCH', `/notes/${record.id}`, { text: 'two' });
      await change(elsewhere(caller), 'DELETE', `/notes/${record.id}`);
      const events = await stream.next(3);
      assert.deepEqual(stream.types, ['notes.created', 'notes.changed', 'notes.deleted']);
      for (const { type, data, id } of events) {
        assert.deepEqual(Object.keys(data), ['type', 'timestamp', 'data']);
        assert.equal(data.type, type);
        assert.equal(new Date(data.timestamp).toISOString(), data.timestamp);
        assert.deepEqual(Object.keys(data.data), ['id', 'collection', 'revision', 'state']);
        assert.equal(data.data.id, record.id);
        assert.equal(data.data.state, null);
        assert.ok(Number(id) > Number(start?.id));
      }
      const [, changed, deleted] = events;
      assert.notEqual(events[0]?.data.data.revision, changed?.data.data.revision);
      assert.equal(deleted?.data.data.revision, changed?.data.data.revision, 'the version that went');
      stream.close();
    });

    it('full events carry the fields and the transition, and people get no owner', async () => {
      const caller = await two().person();
      const stream = await EventStream.open(caller, { query: '?collection=orders' });
      const { record, etag } = await caller.make('orders', { text: 'ä "quoted" \u2028' });
      await caller.make('notes', { text: 'of another collection' });
      await change(caller, 'POST', `/orders/${record.id}/send`);
      const [created, sent] = await stream.next(2);
      assert.deepEqual(created?.data.data, {
        id: record.id,
        collection: 'orders',
        revision: etag.slice(1, -1),
        state: 'open',
        fields: { text: 'ä "quoted" \u2028' },
      });
      assert.equal(sent?.type, 'orders.sent');
      const { action, from, state } = sent?.data.data ?? {};
      assert.deepEqual({ action, from, state }, { action: 'send', from: 'open', state: 'sent' });
      stream.close();
    });

    it('fields above the size limit are left out, and fields_too_large is set', async () => {
      const caller = await two().person();
      const stream = await EventStream.open(caller);
      await caller.make('orders', { text: 'x'.repeat(20_000) });
      const [created] = await stream.next(1);
      assert.equal(created?.data.data.fields_too_large, true);
      assert.ok(!('fields' in (created?.data.data ?? {})));
      stream.close();
    });

    it('a reading caller is not disconnected by a burst of 40 large events', async () => {
      const caller = await two().person();
      const stream = await EventStream.open(caller);
      const text = 'x'.repeat(16_000);
      await atOnce(40, (index) => caller.at(two().serviceAt(index)).make('orders', { text }));
      await stream.next(40);
      assert.equal(new Set(stream.events.map(({ id }) => id)).size, 40);
      assert.equal(stream.isOver, false);
      stream.close();
    });

    it('only the event types that the collection declares are sent', async () => {
      const caller = await two().person();
      const stream = await EventStream.open(caller);
      await caller.make('silent', {});
      const { record } = await caller.make('chosen', {});
      await change(caller, 'PATCH', `/chosen/${record.id}`, { text: 'x' });
      await change(caller, 'DELETE', `/chosen/${record.id}`);
      await stream.next(2);
      assert.deepEqual(stream.types, ['chosen.created', 'chosen.deleted']);
      stream.close();
    });

    it("a client sees all records' events with owners where declared, and only its own elsewhere", async () => {
      const [machine, person] = [await house(), await two().person()];
      const stream = await EventStream.open(elsewhere(machine));
      await person.make('notes', { text: "a person's own" });
      await person.make('guarded', {});
      await machine.make('notes', { text: "the machine's own" });
      const { record } = await person.make('orders', {});
      await stream.next(2);
      assert.deepEqual(stream.types, ['notes.created', 'orders.created']);
      const [own, theirs] = stream.events.map(({ data }) => data.data);
      assert.equal(own?.owner, await idOf(machine));
      assert.deepEqual([theirs?.id, theirs?.owner], [record.id, await idOf(person)]);
      stream.close();
    });

    it('an erasure is announced to machine clients only, and past events of the erased are withheld', async () => {
      const [machine, bystander] = [await house(), await two().person()];
      const gone = await two().person();
      const id = await idOf(gone);
      const before = await EventStream.open(machine);
      const others = await EventStream.open(bystander);
      await gone.make('orders', { text: 'secret' });
      await before.next(1);
      assert.equal((await gone.send('DELETE', '/me')).status, 200);
      const [, erased] = await before.next(2);
      assert.equal(erased?.type, 'consumer.erased');
      assert.deepEqual(erased?.data.data, { owner: id });
      const again = await EventStream.open(machine, { lastEventId: String(before.all[0]?.id) });
      await again.next(1);
      assert.deepEqual(again.types, ['consumer.erased']);
      assert.deepEqual(others.events, []);
      for (const stream of [before, others, again]) stream.close();
    });

    it('a stream resumes without gap or duplicate on another process, by Last-Event-ID or ?after=', async () => {
      const caller = await two().person();
      const first = await EventStream.open(caller);
      for (const text of ['one', 'two']) await caller.make('notes', { text });
      await first.next(2);
      first.close();
      for (const text of ['three', 'four']) await elsewhere(caller).make('notes', { text });
      const resumed = await EventStream.open(elsewhere(caller), { lastEventId: first.lastId });
      const asked = await EventStream.open(elsewhere(caller), { query: `?after=${first.lastId}` });
      await caller.make('notes', { text: 'five' });
      for (const stream of [resumed, asked]) {
        await stream.next(3);
        assert.equal(stream.all[0]?.type, 'start');
        assert.equal(stream.all[0]?.id, first.lastId);
        assert.deepEqual(
          stream.events.map(({ id }) => Number(id)),
          [...stream.events.map(({ id }) => Number(id))].sort((one, other) => one - other),
        );
        const known = new Set([...first.events, ...stream.events].map(({ data }) => data.data.id));
        assert.equal(known.size, 5);
        stream.close();
      }
    });

    it('a heartbeat with the position is sent every fifteen seconds', async () => {
      const [caller, other] = [await two().person(), await two().person()];
      const stream = await EventStream.open(caller);
      const marker = await EventStream.open(other);
      await other.make('notes', {});
      await marker.next(1);
      const before = stream.text;
      for (let second = 0; second < 15; second += 1) await two().advance(1_000);
      await until(
        () => stream.text.slice(before.length),
        (more) => more.startsWith(`id: ${marker.lastId}\n\n`),
        'there is no sign of life',
      );
      assert.equal(stream.all.length, 1, 'which is no event');
      for (const one of [stream, marker]) one.close();
    });

    it('a stream ends with token_expired five seconds after the token expires', async () => {
      const expires = Math.floor(two().now() / 1000) + 600;
      const caller = await two().person({ exp: expires });
      const streams = [await EventStream.open(caller), await EventStream.open(elsewhere(caller))];
      await two().advance(601_000);
      streams.push(await EventStream.open(caller));
      for (const { isOver } of streams) assert.equal(isOver, false, 'five seconds later it still counts');
      await two().advance(4_000);
      for (const stream of streams) {
        await stream.ended();
        assert.equal(stream.reason, 'token_expired');
      }
    });

    it('streams at every process end on suspension, erasure or disabling of the caller', async () => {
      const { settings } = two();
      const suspended = await two().person();
      const erased = await two().person();
      const machine = await two().machine('passing');
      const cases = [
        {
          caller: suspended,
          reason: 'consumer_suspended',
          command: ['consumer', 'suspend', await idOf(suspended)],
        },
        { caller: erased, reason: 'erased', command: ['consumer', 'erase', await idOf(erased), '--yes'] },
        { caller: machine, reason: 'client_disabled', command: ['client', 'disable', 'passing'] },
      ];
      const bystander = await EventStream.open(await two().person());
      for (const { caller, reason, command } of cases) {
        const streams = [await EventStream.open(caller), await EventStream.open(elsewhere(caller))];
        const outcome = await runVestibule(settings, ...command);
        assert.equal(outcome.code, 0, outcome.stderr);
        for (const stream of streams) {
          await stream.ended();
          assert.equal(stream.reason, reason);
        }
      }
      assert.equal(bystander.isOver, false);
      bystander.close();
    });

    it('a "reset" event is sent for a position that is no longer kept or was never issued', async () => {
      const caller = await two().person();
      await caller.make('notes', {});
      await two().advance(31 * dayMs);
      const fresh = await two().person();
      await fresh.make('notes', {});
      await until(
        async () => (await fresh.get('/events?after=1')).json().reset,
        (isReset) => isReset === true,
        'old events are kept',
      );
      for (const lastEventId of ['1', '999999999']) {
        const stream = await EventStream.open(fresh, { lastEventId });
        await stream.until((all) => all.length === 2, 'there is no reset');
        const [reset, start] = stream.all;
        assert.deepEqual([reset?.type, start?.type], ['reset', 'start']);
        assert.equal(reset?.id, start?.id);
        await fresh.make('notes', {});
        await stream.next(1);
        stream.close();
      }
    });

    it('an expired record sends an expired event', async () => {
      const caller = await two().person();
      const machine = await house();
      // Starts at the current position, because older events may be deleted while they are read.
      const { next } = (await machine.get('/events')).json<{ next: number }>();
      const { record } = await caller.make('short', {});
      await two().advance(hourMs + 120_000);
      const later = await house();
      const stream = await EventStream.open(later, { query: `?collection=short&after=${next}` });
      await stream.until(() => stream.types.includes('short.expired'), 'nothing is told');
      const expired = stream.events.find(({ type }) => type === 'short.expired');
      assert.equal(expired?.data.data.id, record.id);
      assert.notEqual(machine.token, later.token);
      stream.close();
    });
  });
