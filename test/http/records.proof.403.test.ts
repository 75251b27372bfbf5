import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { canaryClaims } from '../support/faults/canaries.ts';
import type { WireRecord } from '../support/http/api-caller.ts';
import type { Reply } from '../support/http/request.ts';
import { tally } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { me, someEngine } from '../support/services/service.ts';
import {
  assertProofRefused,
  newDpopKey,
  type ProofChanges,
  proofBy,
  withProof,
} from '../support/tokens/dpop.ts';

const prefix = me.slice(0, -'/me'.length);
const schema = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';
const declarations = { notes: `${schema}\nlimits: { writes: 1000000/day, bytes: 200 }` };

interface Copied {
  readonly method: string;
  readonly path: string;
  readonly init: RequestInit;
  readonly proof: string;
}

for (const engine of someEngine)
  describe(`replay of a copied write with its token and proof, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations });
    const key = newDpopKey();

    /** A caller with a bound token, and its requests. */
    const caller = async (sub: string = randomUUID()) => {
      const token = await two().provider.token({ sub, cnf: { jkt: key.thumbprint } });
      const base = String(two().settings.BASE_URL);
      const make = (method: string, path: string, init: RequestInit = {}, changes: ProofChanges = {}) => {
        // No part of a proof may be found in the database.
        const jti = `${canaryClaims.email} ${randomUUID()}`;
        const proving = { method, url: base + prefix + path, token };
        const proof = proofBy(key, proving, { ...changes, claims: { jti, ...changes.claims } });
        return { method, path, init, proof };
      };
      const send = (process: number, { method, path, init, proof }: Copied) =>
        withProof(two().serviceAt(process).url + prefix + path, token, proof, { ...init, method });
      const sendNew = (process: number, method: string, path: string, init?: RequestInit) =>
        send(process, make(method, path, init));
      const count = async () => (await sendNew(0, 'GET', '/notes')).json<{ items: unknown[] }>().items.length;
      return { make, send, sendNew, count };
    };
    const fields = (text: string, headers: Readonly<Record<string, string>> = {}) => ({
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ text }),
    });
    const refused = (reply: Reply) => assertProofRefused(reply, 'proof_replayed', null);

    it('is refused by the process that ran the write, and by another one', async () => {
      const { make, send, count } = await caller();
      const creation = make('POST', '/notes', fields('once'));
      const first = await send(0, creation);
      assert.equal(first.status, 201, first.text);
      refused(await send(1, creation));
      refused(await send(0, creation));
      assert.equal(await count(), 1);
    });

    it('is refused for PUT, PATCH and DELETE, even if it would have an effect again', async () => {
      const { make, send, sendNew } = await caller();
      const id = randomUUID();
      const isNew = { 'if-none-match': '*' };
      const copies = [
        make('PUT', `/notes/${id}`, fields('made', isNew)),
        make('PUT', `/notes/${id}`, fields('replaced')),
        make('PATCH', `/notes/${id}`, fields('patched', { 'content-type': 'application/merge-patch+json' })),
      ];
      for (const copy of copies) {
        const reply = await send(0, copy);
        assert.ok(reply.status < 300, `${copy.method} ${reply.text}`);
      }
      assert.equal((await sendNew(0, 'PUT', `/notes/${id}`, fields('again'))).status, 200);
      for (const copy of copies) refused(await send(1, copy));
      assert.equal((await sendNew(1, 'GET', `/notes/${id}`)).json<WireRecord>().text, 'again');
      const removal = make('DELETE', `/notes/${id}`);
      assert.equal((await send(0, removal)).status, 204);
      refused(await send(1, removal));
    });

    it('is refused with its Idempotency-Key too, while a retry with a new proof gets the first answer', async () => {
      const { make, send, sendNew, count } = await caller();
      const init = fields('once', { 'idempotency-key': randomUUID() });
      const creation = make('POST', '/notes', init);
      const first = await send(0, creation);
      assert.equal(first.status, 201, first.text);
      const copied = await send(1, creation);
      refused(copied);
      assert.equal(copied.text.includes(first.json<WireRecord>().id), false, 'nothing of the record is told');
      const retried = await sendNew(1, 'POST', '/notes', init);
      assert.equal(retried.status, 201, retried.text);
      assert.equal(retried.json<WireRecord>().id, first.json<WireRecord>().id);
      assert.equal(await count(), 1);
    });

    const json = { 'content-type': 'application/json' };
    const patch = { 'content-type': 'application/merge-patch+json' };
    /** Requests that are refused for their content. */
    const unfit: Readonly<Record<string, readonly [number, string, RequestInit]>> = {
      'no JSON': [400, 'POST', { headers: json, body: '{"text":' }],
      'another media type': [415, 'POST', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
      'fields that do not fit': [422, 'POST', { headers: json, body: '{"text":1}' }],
      'more than a record may have': [413, 'POST', fields('x'.repeat(250))],
      'no Idempotency-Key': [400, 'POST', fields('x', { 'idempotency-key': 'x'.repeat(256) })],
      'no If-None-Match': [400, 'PUT', fields('x', { 'if-none-match': '"x"' })],
      'no If-Match': [400, 'PATCH', fields('x', { ...patch, 'if-match': 'x' })],
      'no If-Match to remove': [400, 'DELETE', { headers: { 'if-match': 'x' } }],
    };
    for (const [what, [status, method, init]] of Object.entries(unfit))
      it(`is refused with changed fields after ${what} was refused with ${status}`, async () => {
        const { make, send, sendNew, count } = await caller();
        const database = plainSql(two().settings);
        const noted = async () => (await database.query('select * from proofs')).length;
        const { id } = (await sendNew(0, 'POST', '/notes', fields('mine'))).json<WireRecord>();
        const before = await noted();
        const copied = make(method, method === 'POST' ? '/notes' : `/notes/${id}`, init);
        const first = await send(0, copied);
        assert.equal(first.status, status, first.text);
        await until(noted, (rows) => rows > before, 'the proof of a refused write was not noted', 5_000);
        const { headers, ...body } = method === 'DELETE' ? { headers: {} } : fields('theirs');
        const forged = { ...body, headers: method === 'PATCH' ? patch : headers };
        refused(await send(1, { ...copied, init: forged }));
        assert.equal(await count(), 1);
      });

    it('is refused after a batch, whether that succeeded, was refused or was malformed', async () => {
      const { make, send, count } = await caller();
      const database = plainSql(two().settings);
      const noted = async () => (await database.query('select * from proofs')).length;
      const create = { create: 'notes', fields: { text: 'x' } };
      const batch = (...operations: readonly object[]) => ({
        headers: json,
        body: JSON.stringify({ operations }),
      });
      for (const [status, init] of [
        [200, batch(create, create)],
        [409, batch(create, { delete: 'notes', id: randomUUID() })],
        [409, batch({ create: 'notes', fields: { text: 7 } })],
        [400, batch()],
      ] as const) {
        const before = await noted();
        const copied = make('POST', '/batch', init);
        const first = await send(0, copied);
        assert.equal(first.status, status, first.text);
        await until(noted, (rows) => rows === before + 1, 'the proof of a batch was not noted once', 5_000);
        refused(await send(1, { ...copied, init: batch(create) }));
      }
      assert.equal(await count(), 2);
    });

    it('of an erasure does not erase a caller who has returned', async () => {
      const { make, send, sendNew, count } = await caller();
      assert.equal((await sendNew(0, 'POST', '/notes', fields('old'))).status, 201);
      const erasure = make('DELETE', '/me');
      assert.equal((await send(0, erasure)).json<{ total: number }>().total, 1);
      assert.equal((await sendNew(0, 'POST', '/notes', fields('new'))).status, 201);
      refused(await send(1, erasure));
      assert.equal(await count(), 1);
    });

    it('40 concurrent copies at two processes run once, and none fails with 5xx', async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        const { make, send, count } = await caller();
        const creation = make('POST', '/notes', fields('once'));
        const replies = await atOnce(40, (index) => send(index, creation));
        assert.deepEqual(Object.fromEntries(tally(replies.map(({ status }) => status))), { 201: 1, 403: 39 });
        for (const reply of replies) if (reply.status === 403) refused(reply);
        assert.equal(await count(), 1);
      }
    });

    it('a proof with a fractional iat is accepted once', async () => {
      const { make, send } = await caller();
      const iat = Math.floor(Date.now() / 1000) - 0.3337;
      const creation = make('POST', '/notes', fields('x'), { claims: { iat } });
      assert.equal((await send(0, creation)).status, 201);
      refused(await send(1, creation));
    });

    it('only a digest and an expiry of each proof are stored', async () => {
      const database = plainSql(two().settings);
      const all = await database.query('select * from proofs');
      // Rows that never expire are ids that callers chose.
      const rows = all.filter((row) => Number(row.expires_at) !== Number.MAX_SAFE_INTEGER);
      assert.ok(rows.length > 0);
      for (const row of rows) {
        assert.deepEqual(Object.keys(row).sort(), ['digest', 'expires_at']);
        assert.equal((row.digest as Uint8Array).length, 32);
        assert.ok(Number(row.expires_at) < Date.now() + 120_000);
      }
    });
  });
