import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concurrently } from '../support/flood.ts';
import { oneService } from '../support/one-service.ts';
import { exchange, statuses } from '../support/raw-http.ts';
import { me } from '../support/service.ts';

const refused = 403;
/** Whoever reads by chunks finds this request behind the last of them; whoever reads by length finds it in the body. */
const hidden = `GET ${me} HTTP/1.1\r\nhost: a\r\n\r\n`;
const body = `0\r\n\r\n${hidden}`;
const last = 'GET /.well-known/jwks.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';

const request = (...lines: string[]) =>
  `${['POST /token HTTP/1.1', 'host: a', 'content-type: application/json', ...lines].join('\r\n')}\r\n\r\n`;
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

/** Every byte at every place where a parser may overlook it. */
const mangled = characters.flatMap((one) => [
  `${one}Transfer-Encoding: chunked`,
  `Transfer-Encoding${one}: chunked`,
  `Transfer${one}Encoding: chunked`,
  `Transfer-Encoding:${one}chunked`,
  `Transfer-Encoding: ${one}chunked`,
  `Transfer-Encoding: chunked${one}`,
  `Transfer-Encoding: chun${one}ked`,
  `X: y${one}Transfer-Encoding: chunked`,
  `X: y\r${one}Transfer-Encoding: chunked`,
  `X: y${one}\nTransfer-Encoding: chunked`,
]);
const spelled = [
  'transfer-encoding: CHUNKED',
  'transfer-encoding: identity, chunked',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: "chunked"',
  'transfer-encoding: chunked;q=1',
  'transfer-encoding: identity',
  'transfer-encoding:',
  'transfer-encoding: x\r\n chunked',
  'transfer-encoding:\r\n chunked',
  'transfer-encoding: x\r\ntransfer-encoding: chunked',
  'transfer-encoding: chunked\r\ntransfer-encoding: x',
  'te: chunked',
  'transfer_encoding: chunked',
  'content-encoding: chunked',
  'connection: transfer-encoding\r\ntransfer-encoding: chunked',
];
const lengths = [
  '+%',
  '-%',
  ' %',
  '0%',
  '%,%',
  '%, 5',
  '% 5',
  '0x%',
  '%.0',
  '%e0',
  '"%"',
  '%;',
  '\t%',
  '%\x0b',
  '%\xa0',
  '',
];

describe('a request of which two parsers could think differently where it ends', () => {
  const running = oneService({ REFUSALS_PER_MINUTE: '1000000' });
  /** What is hidden is never answered, and nothing is answered after what was not understood. */
  const isOneRequest = async (bytes: string) => {
    const answer = await exchange(running().service.url, Buffer.from(bytes + last, 'latin1'));
    const all = statuses(answer);
    const shown = `${all} for ${JSON.stringify(bytes)}`;
    assert.equal(all.includes(refused), false, shown);
    assert.ok(all.length <= 2 && !all.some((status) => status >= 500), shown);
    // A request that is refused as such ends the connection.
    if (all.length === 2)
      assert.deepEqual(all, [401, 200].includes(Number(all[0])) ? all : [400, 200], shown);
    return all;
  };
  const all = async (requests: readonly string[]) => {
    let next = 0;
    return concurrently(requests.length, 50, () => isOneRequest(requests[next++] as string));
  };

  it('[G183] control: what is hidden is answered when it is a request', async () => {
    const answer = await exchange(running().service.url, request('transfer-encoding: chunked') + body + last);
    assert.ok(statuses(answer).includes(refused), answer);
  });

  it('[G183] by chunks that are spelled in another way, beside a length, is one request or none', async () => {
    const length = `content-length: ${body.length}`;
    const heads = [...mangled, ...spelled].flatMap((line) => [request(length, line), request(line, length)]);
    const found = await all(heads.map((head) => head + body));
    const counts = Map.groupBy(found, (each) => each.join());
    assert.ok((counts.get('400')?.length ?? 0) > 1_000, JSON.stringify([...counts.keys()]));
  });

  it('[G183] by a length that is spelled in another way is one request or none', async () => {
    const told = lengths.map((text) => `content-length: ${text.replaceAll('%', String(body.length))}`);
    await all(told.map((line) => request(line) + body));
    await all(told.map((line) => request(line, `content-length: ${body.length}`) + body));
  });
});
