import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { anyJson, mutate } from '../support/faults/mutations.ts';
import { exchange, head, parseReply, statuses } from '../support/http/raw-http.ts';
import { request, withToken } from '../support/http/request.ts';
import { concurrently } from '../support/load/flood.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { sized } from '../support/run/size.ts';
import { me, ownProcess, type Settings } from '../support/services/service.ts';
import { forged } from '../support/tokens/forged-token.ts';
import { makeKey } from '../support/tokens/provider.ts';
import { type AttackedService, attackedService } from './attacked-service.ts';

const seed = 20_240_229;
const jsonType = 'content-type: application/json';
/** Refusals without end. */
const untiring = { REFUSALS_PER_MINUTE: '1000000' };
/** Short timeouts, so that unfinished requests end soon. */
const impatient = {
  ...untiring,
  REQUEST_TIMEOUT_SECONDS: '1',
  KEEP_ALIVE_SECONDS: '1',
};

/** After any test the process runs, has no error of its own, and admits good callers. */
function survivor(settings: Settings): () => AttackedService {
  const target = attackedService({ settings: { ...settings, ...ownProcess } });
  afterEach(async () => {
    const { service, provider, url } = target();
    assert.equal(service.process.exitCode, null);
    assert.doesNotMatch(await service.metrics(), /^vestibule_http_requests_total\{.*status="5/m);
    const errors = service.logLines().filter(({ level }) => Number(level) >= 50);
    assert.deepEqual(errors, []);
    await target().accepts(await provider.token());
    assert.equal((await request(url)).status, 403);
  });
  return target;
}

function assertNoFault(answer: string, bytes: string | Buffer): void {
  const all = statuses(answer);
  const isFault = all.some((status) => status >= 500);
  assert.ok(!isFault, `${all} for (base64) ${Buffer.from(bytes).toString('base64')}`);
}

const get = (path: string, ...lines: string[]) => head('GET', path, ...lines);
const smuggled = `GET ${me} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
const post = (...lines: string[]) => head('POST', '/token', jsonType, ...lines);

/** The request, and the statuses that may answer it. The connection may also just be closed. */
type Cases = Readonly<Record<string, readonly [string, readonly number[]]>>;

const oddHeads: Cases = {
  'a header named __proto__': [get(me, '__proto__: x', 'constructor: x', 'prototype: x'), [403]],
  'a percent sign alone in the path': [get('/%'), [400, 404]],
  'letters after a percent sign in the path': [get('/%zz'), [400, 404]],
  'a NUL in the path': [get('/%00'), [400, 404]],
  'half a character in the path': [get('/%ff%fe'), [400, 404]],
  'a path of 8 kB': [get(`/${'x'.repeat(8_000)}`), [400, 404, 414]],
  '2,001 headers': [get(me, ...Array<string>(2_001).fill('x: y')), [400, 403, 431]],
  '17 KiB of headers': [get(me, `x: ${'y'.repeat(17 * 1024)}`), [431]],
  'a path of 17 KiB': [get(`/${'x'.repeat(17 * 1024)}`), [431]],
};

const ambiguous: Cases = {
  'a length and chunks': [
    `${post('content-length: 4', 'transfer-encoding: chunked')}0\r\n\r\n${smuggled}`,
    [400],
  ],
  'chunks and a length': [
    `${post('transfer-encoding: chunked', 'content-length: 4')}0\r\n\r\n${smuggled}`,
    [400],
  ],
  'two lengths': [`${post('content-length: 0', 'content-length: 5')}${smuggled}`, [400]],
  'a list of lengths': [`${post('content-length: 5, 5')}hello${smuggled}`, [400]],
  'a length with a sign': [`${post('content-length: +5')}hello${smuggled}`, [400]],
  'a negative length': [post('content-length: -1'), [400]],
  'a length in hex': [`${post('content-length: 0x5')}hello`, [400]],
  'a huge length': [post('content-length: 99999999999999999999'), [400]],
  'an unknown coding': [`${post('transfer-encoding: xchunked')}0\r\n\r\n`, [400]],
  'a coding after chunked': [`${post('transfer-encoding: chunked, identity')}0\r\n\r\n`, [400]],
  'a chunk of wrong size': [`${post('transfer-encoding: chunked')}zz\r\nhello\r\n0\r\n\r\n`, [400]],
  'a huge chunk': [`${post('transfer-encoding: chunked')}ffffffffffffffff\r\nhello`, [400, 408, 413]],
  'a space before the colon': [get(me, 'authorization : Bearer x'), [400]],
  'a folded header': [get(me, 'authorization: Bearer', ' x'), [400]],
  'line feeds alone': [get(me).replaceAll('\r\n', '\n'), [400, 403]],
  'a carriage return alone': [get(me, 'x: a\rb'), [400]],
  'a NUL in a header': [get(me, 'x: a\0b'), [400]],
  'a header that ends the head with half a line': [`${get(me).slice(0, -2)}\rX${smuggled}`, [400]],
  'a chunk with an extension': [
    `${post('transfer-encoding: chunked')}5;a="${'x'.repeat(100)}"\r\nhello\r\n0\r\n\r\n`,
    [400, 401],
  ],
  'a chunk with an extension that has a line feed in it': [
    `${post('transfer-encoding: chunked')}5;\na\r\nhello\r\n0\r\n\r\n${smuggled}`,
    [400],
  ],
  'a chunk with an extension without end': [
    `${post('transfer-encoding: chunked')}5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
    [400, 413],
  ],
};

const foreign: Cases = {
  'no host': [`GET ${me} HTTP/1.1\r\n\r\n`, [400]],
  'two hosts': [get(me, 'host: other.example'), [400]],
  'HTTP/0.9': [`GET ${me}\r\n\r\n`, [400]],
  'HTTP/1.0': [`GET ${me} HTTP/1.0\r\n\r\n`, [403]],
  'HTTP/3.0': [`GET ${me} HTTP/3.0\r\n\r\n`, [400]],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', [400]],
  'an upgrade to HTTP/2': [get(me, 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'), [400, 403, 426]],
  'an upgrade to a web socket': [get(me, 'upgrade: websocket', 'sec-websocket-version: 13'), [400, 403, 426]],
  'a TLS greeting': ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [400]],
  CONNECT: [head('CONNECT', 'evil.example:443'), [400, 404, 405]],
  TRACE: [head('TRACE', me, 'cookie: cookie-gingerquoll'), [405]],
  'an unknown method': [head('BREW', me), [400, 405]],
  'a method in small letters': [head('get', me), [400]],
  'an unknown expectation': [get(me, 'expect: the-unexpected'), [403, 417]],
  'a body on a GET': [`${get(me, 'content-length: 5')}hello`, [403]],
  'an address without a slash': [get('me'), [400, 404]],
  'an empty line first': [`\r\n\r\n${get(me)}`, [400, 403]],
  nothing: ['\r\n', [400, 408]],
  'the address of another server': [get('http://other.example/api/consumer/v1/me'), [400, 403, 404]],
};

const hostile = {
  '[G182] an odd head': oddHeads,
  '[G183] where a request ends': ambiguous,
  '[G185] another protocol or form': foreign,
};
describe('broken requests', () => {
  const target = survivor(impatient);

  const all = Object.entries(hostile).flatMap(([kind, cases]) =>
    Object.entries(cases).map(([name, one]) => [`${kind}, ${name}`, one] as const),
  );
  for (const [name, [bytes, allowed]] of all)
    it(`${name}: at most one answer, from the error catalogue`, async () => {
      const answer = await exchange(target().service.url, Buffer.from(bytes, 'latin1'));
      assert.doesNotMatch(answer, /cookie-gingerquoll/);
      if (answer === '') return;
      assert.equal(statuses(answer).length, 1, answer);
      const { status, headers } = parseReply(answer);
      assert.ok(allowed.includes(status), answer);
      assert.match(headers.get('content-type') ?? '', /^application\/(problem\+)?json$/);
      assert.match(headers.get('cache-control') ?? '', /no-store/);
    });

  it('a thousand broken requests cause no internal error', async () => {
    const random = new PseudoRandom(seed);
    const credentials = JSON.stringify({ client_id: 'somebody', client_secret: 'secret-thistledrake' });
    const token = await target().provider.token();
    const models = [
      get(me, `authorization: Bearer ${token}`),
      get('/.well-known/jwks.json', 'accept: */*'),
      get('/unknown/path?x=1', 'cookie: a=b'),
      `${post(`content-length: ${credentials.length}`)}${credentials}`,
      `${post('transfer-encoding: chunked')}${credentials.length.toString(16)}\r\n${credentials}\r\n0\r\n\r\n`,
    ].map((model) => Buffer.from(model));
    await concurrently(sized(1_000, 10_000), 100, async () => {
      const mutated = mutate(random.pick(models), random);
      const isTruncated = random.below(4) === 0;
      const bytes = isTruncated ? mutated.subarray(0, random.below(mutated.length)) : mutated;
      const answer = await exchange(target().service.url, bytes, isTruncated ? 'at once' : 'when answered');
      assertNoFault(answer, bytes);
    });
  });

  it('random bytes cause no internal error', async () => {
    const random = new PseudoRandom(seed + 1);
    await concurrently(500, 100, async () => {
      const bytes = random.bytes(1 + random.below(400));
      assertNoFault(await exchange(target().service.url, bytes, 'at once'), bytes);
    });
  });
});

const formType = 'application/x-www-form-urlencoded';

/** These requests are complete, so none may time out. */
describe('broken input', () => {
  const target = survivor(untiring);

  it('hundreds of broken tokens are all refused', async () => {
    const random = new PseudoRandom(seed + 2);
    const { provider } = target();
    const good = await provider.token();
    await concurrently(sized(400, 4_000), 100, async () => {
      const token = mutate(Buffer.from(good), random)
        .toString('latin1')
        .replaceAll(/[^\x21-\x7e]/g, '~');
      const { status } = await withToken(target().url, token);
      assert.equal(status, token === good ? 200 : 403, token);
    });
    const claims = Object.keys(provider.claims());
    const stranger = await makeKey(provider.key.kid);
    await concurrently(sized(200, 2_000), 100, async () => {
      const changed = { ...provider.claims(), [random.pick(claims)]: anyJson(random) };
      const header = { [random.pick(['alg', 'kid', 'typ', 'crit', 'x'])]: anyJson(random) };
      const token = forged(stranger, changed, header);
      const { status } = await withToken(target().url, token);
      assert.equal(status, 403, token);
    });
  });

  it('bodies without valid credentials get 400 or 401 at /token', async () => {
    const random = new PseudoRandom(seed + 3);
    const types = ['application/json', 'application/json; charset=utf-8', 'text/plain', formType, ''];
    await concurrently(sized(400, 4_000), 100, async () => {
      const json = JSON.stringify(anyJson(random));
      const body = random.below(2) === 0 ? json : mutate(Buffer.from(json), random);
      const type = random.pick(types);
      const headers = { 'content-type': type };
      const reply = await request(`${target().service.url}/token`, { method: 'POST', headers, body });
      assert.ok(reply.status === 400 || reply.status === 401, `${reply.status} for ${body}`);
      // A form is answered as RFC 6749 says, everything else as the specification does.
      if (type === formType) assert.equal(reply.json().error, 'invalid_request', reply.text);
      else assert.equal(reply.text, '{}');
    });
  });
});
