import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

const declarations = {
  bookings: `
schema:
  required: [slot, seats, code]
  properties:
    slot: { type: string, format: date-time }
    seats: { type: integer, minimum: 1, maximum: 8 }
    code: { type: string, pattern: "^(a+)+$", maxLength: 60 }
    guests: { type: array, maxItems: 3, uniqueItems: true, items: { type: string, maxLength: 9 } }
index: [slot, seats]
states: { draft: { submit: submitted }, submitted: { approve: { to: approved, by: client } }, approved: {} }
access: { clients: any }`,
};

/** No string is evaluated as code, and no name reaches the prototype of an object. */
const flags = '--disallow-code-generation-from-strings --disable-proto=throw';

for (const engine of someEngine)
  describe(`a service without eval and __proto__, on ${engine}`, () => {
    const running = deployment({
      engine,
      declarations,
      settings: { NODE_OPTIONS: flags },
      clients: { house: [] },
    });

    it('[D125] [D121] starts and works as usual', async () => {
      const [person, machine] = [await running().person(), await running().machine('house')];
      const fields = { slot: '2026-01-01T09:00:00+01:00', seats: 2, code: 'aaa', guests: ['x', 'y'] };
      const { record, etag } = await person.make('bookings', fields);
      assert.equal(record.slot, '2026-01-01T08:00:00.000Z');
      const address = `/bookings/${record.id}`;
      const patched = await person.send('PATCH', address, { seats: 3 }, { 'if-match': etag });
      assert.equal(patched.status, 200, patched.text);
      assert.equal((await person.send('POST', `${address}/submit`)).status, 200);
      assert.equal((await machine.send('POST', `${address}/approve`)).json().state, 'approved');
      assert.deepEqual((await person.all('bookings', '&seats[gte]=3&sort=-slot')).length, 1);
      for (const path of ['/me', '/me/usage', '/me/export'])
        assert.equal((await person.get(path)).status, 200);
      for (const path of ['/openapi.json', '/docs', '/.well-known/jwks.json', '/api/consumer/v1'])
        assert.equal((await request(running().service.url + path)).status, 200, path);
      assert.equal((await person.send('DELETE', address)).status, 204);
      assert.equal((await person.send('DELETE', '/me')).status, 200);
    });

    it('[D124] [D121] refuses invalid input as usual', async () => {
      const person = await running().person();
      const fields = { slot: '2026-01-01T09:00:00Z', seats: 2, code: 'aaa' };
      const invalid = await person.send('POST', '/bookings', {
        ...fields,
        seats: 9,
        code: `${'a'.repeat(50)}!`,
        guests: ['x', 'x'],
        more: 1,
      });
      assertCode(invalid, 'validation_failed');
      const pointers = invalid.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer);
      assert.deepEqual(pointers.sort(), ['/code', '/guests', '/more', '/seats']);
      for (const name of ['__proto__', 'constructor', 'prototype']) {
        const polluted = JSON.parse(`{"${name}":{"polluted":true}}`);
        assertCode(await person.send('POST', '/bookings', { ...fields, nested: polluted }), 'json_invalid');
        assert.equal((await person.get(`/bookings?${name}=1`)).status, 400);
      }
      assert.doesNotMatch(await running().service.metrics(), /^vestibule_http_requests_total\{.*status="5/m);
    });
  });
