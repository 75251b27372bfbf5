import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CloudEvent, HTTP } from 'cloudevents';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { someEngine } from '../support/services/service.ts';
import type { Received } from '../support/webhooks/webhook-receiver.ts';
import { webhookStage } from '../support/webhooks/webhook-stage.ts';

/** True if both reference libraries accept the signature. */
function isGenuine(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): boolean {
  const verdicts = [new StandardWebhook(secret), new SvixWebhook(secret)].map((judge) => {
    try {
      judge.verify(body, { ...headers });
      return true;
    } catch {
      return false;
    }
  });
  assert.equal(verdicts[0], verdicts[1], 'the judges agree');
  return verdicts[0] === true;
}

for (const engine of someEngine)
  describe(`a webhook delivery on ${engine}`, () => {
    const stage = webhookStage(engine);

    it('[E140] verifies with both reference libraries, and fails after any change', async () => {
      const { receiver, secret } = await stage().webhook();
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      await stage().notes(3);
      for (const received of await receiver.takes(3)) {
        assert.equal(isGenuine(secret, received), true);
        const { headers, body } = received;
        const with_ = (changes: Record<string, string>) => ({ headers: { ...headers, ...changes }, body });
        const second = Number(headers['webhook-timestamp']) + 1;
        const renamed = isGenuine(secret, { headers, body: body.replace('notes.created', 'notes.deleted') });
        assert.equal(renamed, false);
        assert.equal(isGenuine(secret, { headers, body: `${body} ` }), false);
        assert.equal(isGenuine(secret, with_({ 'webhook-id': `${headers['webhook-id']}0` })), false);
        assert.equal(isGenuine(secret, with_({ 'webhook-timestamp': String(second) })), false);
        assert.equal(isGenuine(secret, with_({ 'webhook-signature': 'v1,' })), false);
        const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
        assert.equal(isGenuine(other, received), false);
      }
    });

    it('[E140] has an id and a timestamp without dots, and the current time', async () => {
      const { receiver } = await stage().webhook();
      await stage().notes(1);
      const [{ headers, position } = assert.fail()] = await receiver.takes(1);
      assert.match(String(headers['webhook-id']), /^evt_\d+_[0-9a-z]+$/);
      assert.match(String(headers['webhook-timestamp']), /^\d{10}$/);
      const offMs = Number(headers['webhook-timestamp']) * 1000 - stage().declared.now();
      assert.ok(Math.abs(offMs) < 30_000, `${offMs} ms off`);
      assert.ok(position > 0);
    });

    it('[E140] has two signatures for a day after a rotation, and each secret verifies', async () => {
      const { receiver, id, secret: before } = await stage().webhook();
      const { secret: after } = await stage().command<{ secret: string }>('rotate', id);
      assert.notEqual(after, before);
      const writer = await stage().person();
      await stage().notes(1, writer);
      const [both = assert.fail()] = await receiver.takes(1);
      const signatures = String(both.headers['webhook-signature']);
      assert.match(signatures, /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
      assert.deepEqual([isGenuine(before, both), isGenuine(after, both)], [true, true]);
      const { secret: newest } = await stage().command<{ secret: string }>('rotate', id, '--now');
      await stage().notes(1, writer);
      const only = (await receiver.takes(2)).at(-1) ?? assert.fail();
      const genuine = [before, after, newest].map((secret) => isGenuine(secret, only));
      assert.deepEqual(genuine, [false, false, true]);
    });

    it('is a valid CloudEvent with the type and data of the log', async () => {
      const { receiver } = await stage().webhook('notes.*');
      const [id] = await stage().notes(1);
      const [{ headers, body } = assert.fail()] = await receiver.takes(1);
      const event = HTTP.toEvent({ headers, body }) as CloudEvent;
      assert.equal(event.validate(), true);
      const { type, timestamp, data } = JSON.parse(body);
      const seen = [event.specversion, event.id, event.source, event.type, event.time];
      assert.deepEqual(seen, ['1.0', headers['webhook-id'], stage().settings.BASE_URL, type, timestamp]);
      assert.deepEqual([type, data.id, data.collection], ['notes.created', id, 'notes']);
      assert.match(data.owner, /^usr_/);
      assert.deepEqual([headers['content-type'], headers['user-agent']], ['application/json', 'Vestibule']);
      assert.equal(headers['x-forwarded-for'] ?? headers.via ?? headers.authorization, undefined);
    });

    it('[E149] is small: it has ids only and no field of the record', async () => {
      const { receiver } = await stage().webhook('notes.*');
      const text = 'a text that is nobody\u2019s business '.repeat(8);
      await (await stage().person()).make('notes', { text });
      const [{ body } = assert.fail()] = await receiver.takes(1);
      assert.ok(body.length <= 1_000, body);
      assert.equal(body.includes('business'), false);
      const members = Object.keys(JSON.parse(body).data).toSorted();
      assert.deepEqual(members, ['collection', 'id', 'owner', 'revision', 'state']);
    });

    it('is not sent to an address that was changed without the master secret', async () => {
      const { receiver, id } = await stage().webhook('notes.*');
      const thief = await stage().receiver();
      const { plainSql } = await import('../support/databases/plain-sql.ts');
      const { query } = plainSql(stage().settings);
      await query(`update webhooks set url = '${thief.url}' where id = '${id}'`);
      const control = await stage().webhook('notes.*');
      await stage().notes(2);
      await control.receiver.takes(2);
      assert.deepEqual([thief.received.length, receiver.received.length], [0, 0]);
      const { genuine } = await stage().show(id);
      assert.equal(genuine, false);
      await query(`update webhooks set url = '${receiver.url}' where id = '${id}'`);
      await stage().pass(11_000);
      await receiver.takes(2);
    });

    // The last one: time does not go back.
    it('[E140] has one signature again a day after the rotation', async () => {
      const { receiver, id } = await stage().webhook();
      await stage().command('rotate', id);
      await stage().pass(25 * 3_600_000);
      await stage().notes(1);
      const [only = assert.fail()] = await receiver.takes(1);
      assert.match(String(only.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/);
    });
  });
