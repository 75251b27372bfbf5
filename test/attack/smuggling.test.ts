import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchange, statuses } from '../support/http/raw-http.ts';
import { concurrently } from '../support/load/flood.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

/**
 * A server that reads chunks finds this request behind the last of them; a server that reads by length finds it in the body.
 */
const hidden = `GET ${me} HTTP/1.1\r\nhost: a\r\n\r\n`;
const body = `0\r\n\r\n${hidden}`;

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
  ...['transfer-encoding: CHUNKED', 'transfer-encoding: identity, chunked'],
  ...['transfer-encoding: chunked, chunked', 'transfer-encoding: chunked, identity'],
  ...['transfer-encoding: "chunked"', 'transfer-encoding: chunked;q=1', 'transfer-encoding: identity'],
  ...['transfer-encoding:', 'transfer-encoding: x\r\n chunked', 'transfer-encoding:\r\n chunked'],
  'transfer-encoding: x\r\ntransfer-encoding: chunked',
  ...['transfer-encoding: chunked\r\ntransfer-encoding: x', 'te: chunked', 'transfer_encoding: chunked'],
  ...['content-encoding: chunked', 'connection: transfer-encoding\r\ntransfer-encoding: chunked'],
];
const lengths = [
  ...['+%', '-%', ' %', '0%', '%,%', '%, 5', '% 5', '0x%', '%.0', '%e0', '"%"', '%;', '\t%', '%\x0b'],
  ...['%\xa0', ''],
];

describe('a request whose end two parsers could read differently', () => {
  const running = deployment({ settings: { REFUSALS_PER_MINUTE: '1000000' } });
  /** The one answer. The service closes the connection after it when it has found a second request behind the first. */
  const send = async (bytes: string) => {
    const answer = await exchange(running().service.url, Buffer.from(bytes, 'latin1'), 'when answered');
    const [status, ...others] = statuses(answer);
    assert.deepEqual(others, [], answer);
    const isUnderstood = /\r\ncontent-type: application\/json\r\n/i.test(answer);
    return { status: Number(status), isUnderstood, isClosed: /\r\nconnection: close\r\n/i.test(answer) };
  };
  /** An understood request is the only one; any other closes the connection. */
  const isOneRequest = async (bytes: string) => {
    const { status, isUnderstood, isClosed } = await send(bytes);
    const shown = `${status} for ${JSON.stringify(bytes)}`;
    assert.ok(status >= 400 && status < 500, shown);
    assert.equal(isClosed, !isUnderstood, shown);
    return isUnderstood;
  };
  const all = async (requests: readonly string[]) => {
    let next = 0;
    return concurrently(requests.length, 50, () => isOneRequest(requests[next++] as string));
  };

  it('[G183] control: a second request in the bytes closes the connection', async () => {
    const { isUnderstood, isClosed } = await send(request('transfer-encoding: chunked') + body);
    assert.deepEqual({ isUnderstood, isClosed }, { isUnderstood: true, isClosed: true });
    assert.equal(await isOneRequest(request(`content-length: ${body.length}`) + body), true);
  });

  it('[G183] with a misspelled Transfer-Encoding beside a Content-Length is one request or none', async () => {
    const length = `content-length: ${body.length}`;
    const heads = [...mangled, ...spelled].flatMap((line) => [request(length, line), request(line, length)]);
    const understood = await all(heads.map((head) => head + body));
    assert.ok(understood.filter((one) => !one).length > 1_000);
  });

  it('[G183] with a misspelled Content-Length is one request or none', async () => {
    const told = lengths.map((text) => `content-length: ${text.replaceAll('%', String(body.length))}`);
    await all(told.map((line) => request(line) + body));
    await all(told.map((line) => request(line, `content-length: ${body.length}`) + body));
  });
});
