import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { exchange, parseReply } from '../support/http/raw-http.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

describe('the head of a request with a valid token', () => {
  const running = deployment();
  const send = async (version: string, ...lines: string[]) => {
    const { service, provider } = running();
    const authorization = `authorization: Bearer ${await provider.token()}`;
    const head = [`GET ${me} ${version}`, ...lines, authorization, 'connection: close'];
    return parseReply(await exchange(service.url, `${head.join('\r\n')}\r\n\r\n`));
  };

  it('HTTP/1.1 with one Host and HTTP/1.0 without Host are accepted', async () => {
    assert.equal((await send('HTTP/1.1', 'host: a.example')).status, 200);
    assert.equal((await send('HTTP/1.0')).status, 200);
  });

  it('[G185] other versions of HTTP are refused', async () => {
    for (const version of ['HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/3.0'])
      assertProblem(await send(version, 'host: a.example'), 'bad_request', version);
  });

  it('[G185] HTTP/1.1 without Host, or with two, is refused', async () => {
    assertProblem(await send('HTTP/1.1'), 'bad_request');
    assertProblem(await send('HTTP/1.1', 'host: a.example', 'host: a.example'), 'bad_request');
    assertProblem(await send('HTTP/1.1', 'host: a.example', 'host: b.example'), 'bad_request');
  });
});

describe('a request head that does not end', () => {
  const running = deployment({ settings: { REQUEST_TIMEOUT_SECONDS: '300' } });

  it('[G177] times out long before a whole request would', { timeout: 30_000 }, async () => {
    const answer = await exchange(running().service.url, `GET ${me} HTTP/1.1\r\nhost: a.example\r\nx-slow: `);
    assertProblem(parseReply(answer), 'request_timeout');
  });

  it('a complete request on another connection is answered', async () => {
    const bytes = `GET ${me} HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n`;
    assert.equal(parseReply(await exchange(running().service.url, bytes)).status, 403);
  });
});
