import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { request, requestFrom, withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';

const json = 'content-type: application/json';
const chunked = 'transfer-encoding: chunked';

describe('bodies sent in chunks of one byte', () => {
  const limits = { NODE_OPTIONS: '--max-old-space-size=512', COLLECTIONS_DIR: 'collections' };
  const running = deployment({
    settings: limits,
    clients: { caller: [] },
  });
  const held: Socket[] = [];
  after(() => {
    for (const socket of held) socket.destroy();
  });
  const letters = (count: number) => '1\r\nx\r\n'.repeat(count);

  it('[G178] sixty at once do not end the process; others are answered', async () => {
    const { service, provider } = running();
    const token = await provider.token();
    const { hostname, port } = new URL(service.url);
    const paths = ['/token', '/nowhere', me, '/api/consumer/v1/notes'];
    // 393 kB each, 23 MB in all; the announced end never comes.
    const flood = letters(65_500);
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        held.push(socket);
        await once(socket, 'connect');
        const start = head('POST', paths[index % paths.length] as string, json, chunked);
        await new Promise((resolve) => socket.write(start + flood, resolve));
      }),
    );
    assert.equal((await withToken(service.url + me, token)).status, 200);
    assert.equal(service.process.exitCode, null);
  });

  it('a body in too many chunks is refused, whatever its size', async () => {
    const { service } = running();
    const bytes = `${head('POST', '/token', json, chunked)}${letters(5_000)}0\r\n\r\n`;
    assertProblem(parseReply(await exchange(service.url, bytes)), 'body_too_large');
  });

  it('a body in a permitted number of chunks is read like a whole one', async () => {
    const { service } = running();
    const pieces = [...credentialsBody(running().client('caller'))].map((letter) => `1\r\n${letter}\r\n`);
    const bytes = `${head('POST', '/token', json, chunked)}${pieces.join('')}0\r\n\r\n`;
    assert.equal(parseReply(await exchange(service.url, bytes)).status, 200);
  });
});

describe('bodies that never end', () => {
  const running = deployment({
    settings: { MAX_BODY_BYTES: '1048576', REQUEST_TIMEOUT_SECONDS: '60' },
    clients: { caller: [] },
  });
  const held: Socket[] = [];
  after(() => {
    for (const socket of held) socket.destroy();
  });

  it('the memory for bodies of one address is limited; other addresses are served', async () => {
    const { service } = running();
    const { hostname, port } = new URL(service.url);
    const megabyte = 1_048_576;
    const start = head('POST', '/token', json, `content-length: ${megabyte}`);
    const replies = Array.from({ length: 20 }, async () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.9' });
      socket.on('error', () => {});
      held.push(socket);
      socket.write(start + ' '.repeat(megabyte - 1));
      const [first] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      return String(first);
    });
    const refused = await Promise.race(replies);
    assertProblem(parseReply(refused), 'overloaded');
    assert.equal((await postToken(service.url, credentialsBody(running().client('caller')))).status, 200);
    assert.equal((await requestFrom('127.0.0.9', `${service.url}/.well-known/jwks.json`)).status, 200);
    for (const socket of held) socket.destroy();
    assert.equal((await request(`${service.url}/openapi.json`)).status, 200);
  });
});
