import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { assertEmptyObject, assertProblem } from '../support/http/answers.ts';
import { exchange, head, parseReply, rawReply, statuses } from '../support/http/raw-http.ts';
import { type Reply, request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { logCaughtUp } from '../support/services/log-caught-up.ts';
import { addClient } from '../support/services/service.ts';
import { credentialForms, inBody, postOf } from '../support/tokens/oauth-form.ts';

const bodyBytes = 65_536;
const mebibyte = 1_048_576;
const client = { id: 'caller', secret: '' };
const origin = 'https://app.example';
const running = deployment({
  settings: { CORS_ORIGINS: origin },
  prepare: async (settings) => {
    client.secret = await addClient(settings, client.id);
  },
});
const url = () => running().service.url;

/** The right credentials, padded to any length, and how they are refused when they cannot be read. */
const kinds = {
  JSON: {
    type: 'content-type: application/json',
    paddedTo: (size: number) => postOf('JSON', client).body.padEnd(size, ' '),
    assertUnread: (reply: Reply, what: string) => assertEmptyObject(reply, 400, what),
  },
  form: {
    type: 'content-type: application/x-www-form-urlencoded',
    paddedTo: (size: number) => `${postOf('form', client).body}&x=`.padEnd(size, 'x'),
    assertUnread(reply: Reply, what: string) {
      assert.equal(reply.status, 400, what);
      assert.equal(reply.json().error, 'invalid_request', what);
    },
  },
} as const;

const sized = (type: string, body: string | Buffer, length = Buffer.byteLength(body), ...more: string[]) =>
  Buffer.concat([
    Buffer.from(head('POST', '/token', type, `content-length: ${length}`, ...more)),
    Buffer.from(body),
  ]);
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

for (const [kind, { type, paddedTo, assertUnread }] of Object.entries(kinds)) {
  it(`[C97] a ${kind} body of exactly the limit is read; a larger one is 413`, async () => {
    assert.equal((await rawReply(url(), sized(type, paddedTo(bodyBytes)))).status, 200);
    for (const size of [bodyBytes + 1, mebibyte])
      assertProblem(await rawReply(url(), sized(type, paddedTo(size))), 'body_too_large', `${size}`);
  });

  it(`[C97] a chunked ${kind} body of exactly the limit is read; an endless one is 413`, async () => {
    const start = head('POST', '/token', type, 'transfer-encoding: chunked');
    const whole = await rawReply(url(), `${start}${chunk(paddedTo(bodyBytes))}0\r\n\r\n`);
    assert.equal(whole.status, 200);
    const past = `${start}${chunk('x'.repeat(bodyBytes + 1))}`;
    assertProblem(await rawReply(url(), past), 'body_too_large');
    const endless = Buffer.from(`${start}${chunk('x'.repeat(8_192)).repeat(1_024)}`);
    const answers = await Promise.all(Array.from({ length: 30 }, () => exchange(url(), endless)));
    // A caller that still sends when the connection closes may miss the answer.
    for (const answer of answers) if (answer !== '') assertProblem(parseReply(answer), 'body_too_large');
  });

  it(`[C97] a ${kind} body of another length than announced gets no token`, async () => {
    const body = paddedTo(0);
    assert.equal((await rawReply(url(), sized(type, body))).status, 200, 'control');
    for (const [length, ending] of [
      [body.length + 10, 'at once'],
      [body.length - 1, 'server'],
      [20, 'server'],
      [0, 'server'],
    ] as const) {
      const answer = await exchange(url(), sized(type, body, length), ending);
      assert.deepEqual(statuses(answer), [400], `${length} instead of ${body.length}`);
    }
    const huge = await rawReply(url(), sized(type, body, 1_000_000_000));
    assertProblem(huge, 'body_too_large');
  });

  it(`[C97] a compressed ${kind} body is not decompressed`, async () => {
    const body = paddedTo(0);
    const packed = { gzip: gzipSync(body), br: brotliCompressSync(body), deflate: deflateSync(body) };
    for (const [coding, bytes] of Object.entries(packed)) {
      const bytesSent = sized(type, bytes, bytes.length, `content-encoding: ${coding}`);
      assertUnread(await rawReply(url(), bytesSent), coding);
    }
    const bomb = gzipSync(paddedTo(60 * mebibyte));
    assert.ok(bomb.length < bodyBytes, 'control: it is small enough to be taken');
    const sent = sized(type, bomb, bomb.length, 'content-encoding: gzip');
    assertUnread(await rawReply(url(), sent), 'bomb');
  });
}

it('[C106] credentials in the query are ignored, alone and beside half of them in the body', async () => {
  const { id, secret } = client;
  const query = new URLSearchParams(inBody(client));
  const post = (headers: Record<string, string>, body?: string) =>
    request(`${url()}/token?${query}`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  assertEmptyObject(await post({}), 400, 'nothing else');
  assertEmptyObject(await post(json, JSON.stringify({ client_id: id })), 400, 'the id in the body');
  for (const body of ['', 'grant_type=client_credentials', `grant_type=client_credentials&client_id=${id}`])
    kinds.form.assertUnread(await post(form, body), body);
  for (const way of credentialForms) {
    const { headers, body } = postOf(way, { id, secret: 'wrong' });
    assert.equal((await post({ ...headers }, body)).status, 401, `${way}: what is in its place counts`);
  }
  await logCaughtUp(running().service);
  assert.doesNotMatch(JSON.stringify(running().service.logLines()), new RegExp(secret));
});

it('[C106] other methods than POST get 405 with valid credentials', async () => {
  const { headers } = postOf('Basic', client);
  for (const method of ['GET', 'PUT', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE', 'QUERY']) {
    const lines = Object.entries({ ...headers, origin }).map((line) => line.join(': '));
    const reply = await rawReply(url(), head(method, '/token', ...lines));
    assert.equal(reply.status, 405, method);
    assert.equal(reply.headers.get('allow'), 'POST', method);
    assert.equal(reply.headers.get('access-control-allow-origin'), null, method);
  }
});

it('[C106] no origin gets CORS headers from POST /token, also for a preflight', async () => {
  const all: Reply[] = [];
  for (const way of credentialForms)
    for (const secret of [client.secret, 'wrong', '']) {
      const { headers, body } = postOf(way, { id: client.id, secret });
      all.push(await request(`${url()}/token`, { method: 'POST', headers: { ...headers, origin }, body }));
    }

  const preflight = { origin, 'access-control-request-method': 'POST' };
  all.push(await request(`${url()}/token`, { method: 'OPTIONS', headers: preflight }));
  const statuses = all.map(({ status }) => status);
  assert.deepEqual(statuses, [200, 401, 400, 200, 401, 400, 200, 401, 401, 405]);
  for (const { headers } of all) {
    const cors = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
    assert.deepEqual([cors, headers.get('vary')], [[], null]);
  }
});
