import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { json, live, type PublicHandler } from '../../src/base/handler.ts';
import type { Route } from '../../src/http/routes.ts';
import { createServer } from '../../src/http/server.ts';
import { bareServer } from '../support/http/bare-server.ts';

/** Invalid in a header: Node throws. */
const unsendable = { 'x-name': 'ключ' };

const handlers = {
  '/good': () => json({ ok: true }),
  '/answer': () => json({ ok: true }, { headers: unsendable }),
  '/later-answer': async () => json({ ok: true }, { headers: unsendable }),
  '/refusal': () => {
    throw new Refusal('token_missing', { headers: unsendable });
  },
  '/later-refusal': async () => {
    throw new Refusal('token_missing', { headers: unsendable });
  },
  '/live': () =>
    live('text/event-stream', () => {
      throw new Error('cannot begin');
    }),
} satisfies Record<string, PublicHandler>;

/** The observed result of a request: its status, its code, and the error behind it. */
type Observed = readonly [status: number, code: string | undefined, error: unknown];

/** An answer that cannot be written costs one request. Uncaught, the error would end the process, and this test with it. */
describe('a response that cannot be sent', () => {
  let server: Server;
  let url: string;
  const observed: Observed[] = [];

  before(async () => {
    const get = (path: string, handle: PublicHandler, headers: Record<string, string> = {}): Route => ({
      method: 'GET',
      path,
      access: 'public',
      handle,
      describe: null,
      cors: false,
      headers,
    });
    ({ server } = createServer({
      routes: [
        ...Object.entries(handlers).map(([path, handle]) => get(path, handle)),
        get('/never', handlers['/good'], unsendable),
      ],
      ...bareServer,
      observe: () => (_method, status, _milliseconds, _id, refusal) =>
        void observed.push([status, refusal?.code, refusal?.options.cause]),
    }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());
  beforeEach(() => observed.splice(0));

  /** One request was a 500 because of this error, and the next one is served. */
  const assertFailed = async (says: RegExp) => {
    const [[status, code, error] = [], ...others] = observed;
    assert.deepEqual([status, code, others], [500, 'internal', []]);
    assert.match(String(error), says);
    assert.equal((await fetch(`${url}/good`)).status, 200);
  };
  const invalidHeader = /ERR_INVALID_CHAR/;

  for (const path of ['/answer', '/later-answer', '/refusal', '/later-refusal'])
    it(`is a 500 for that request, with the error in the log: ${path}`, async () => {
      const reply = await fetch(`${url}${path}`);
      assert.equal(reply.status, 500);
      assert.equal(((await reply.json()) as { code: string }).code, 'internal');
      await assertFailed(invalidHeader);
    });

  it('closes the connection when not even a 500 can be sent', async () => {
    await assert.rejects(() => fetch(`${url}/never`));
    await assertFailed(invalidHeader);
  });

  it('closes the connection when the response has begun', async () => {
    await assert.rejects(async () => (await fetch(`${url}/live`)).text());
    await assertFailed(/cannot begin/);
  });
});
