import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import * as client from '../../packages/client/src/index.ts';
import { listen } from '../support/http/document-server.ts';
import { until } from '../support/run/polling.ts';

function tokenOf(sub: string, more: object = {}): string {
  const payload = { iss: 'https://issuer.example', sub, aud: 'api', scope: 'all', ...more };
  return `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;
}

const ada = tokenOf('Ada');
const overloaded = { code: 'overloaded', title: 'Try again.' };

let answer: (request: IncomingMessage, response: ServerResponse) => void;
const seen: [string, string][] = [];
const server = createServer((request, response) => {
  seen.push([String(request.method), String(request.headers.authorization).slice('Bearer '.length)]);
  request.resume().on('end', () => answer(request, response));
});
const url = await listen(server);

/** The client against misbehaving services, proxies and listeners, with a server of this file. */
describe('safety of @vestibule/client', () => {
  afterEach(() => {
    seen.length = 0;
    server.closeAllConnections();
  });
  after(() => server.close());

  function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
    // One connection for each request: a connection cut by an earlier test would count as a lost answer.
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(JSON.stringify(body));
  }

  async function refused(call: Promise<unknown>): Promise<client.Problem> {
    const error = await call.then(
      (value) => assert.fail(`it was not refused, but answered with ${JSON.stringify(value)}`),
      (reason) => reason,
    );
    assert.ok(error instanceof client.Problem, String(error));
    return error;
  }

  for (const [kind, ada, bob] of [
    ['tokens that say whose they are', tokenOf('Ada'), tokenOf('Bob')],
    ['opaque tokens', 'opaque-1', 'opaque-2'],
  ] as const)
    describe(`when another caller signs in, with ${kind}`, () => {
      for (const [what, status, body] of [
        ['was refused', 503, overloaded],
        ['may have been done', 502, {}],
        ['had an expired token', 403, { code: 'token_expired' }],
      ] as const)
        it(`a request that ${what} is not repeated with the new token`, async () => {
          let current = ada;
          const { notes } = client.createClient({ url, token: () => current }).collections;
          answer = (_, response) => {
            current = bob;
            json(response, status, body);
          };
          const problem = await refused(notes?.create({ text: 'a secret of Ada' }) ?? Promise.resolve());
          assert.deepEqual([problem.status, problem.maybeDone], [status, status === 502]);
          assert.deepEqual(seen, [['POST', ada]]);
        });

      it('an update by a function is not sent with the new token', async () => {
        let current = ada;
        const notes = client.createClient({ url, token: () => current }).collection('notes');
        answer = (_, response) => {
          current = bob;
          json(response, 200, { id: '1', count: 1 }, { etag: '"1"' });
        };
        const problem = await refused(notes.update('1', ({ count }) => ({ count: count + 1 })));
        assert.equal(problem.code, 'caller_changed');
        assert.deepEqual(seen, [['GET', ada]]);
      });

      it('a list ends with caller_changed after the pages of the first caller', async () => {
        let current = ada;
        const notes = client.createClient({ url, token: () => current }).collection('notes');
        answer = ({ headers }, response) => {
          const owner = headers.authorization === `Bearer ${ada}` ? 'Ada' : 'Bob';
          json(response, 200, { items: [{ owner }], next: 'more' });
          current = bob;
        };
        const listed: unknown[] = [];
        const problem = await refused(
          (async () => {
            for await (const { owner } of notes.list()) listed.push(owner);
          })(),
        );
        assert.equal(problem.code, 'caller_changed');
        assert.deepEqual(listed, ['Ada']);
        assert.deepEqual(seen, [['GET', ada]]);
      });

      it('a live list never mixes records of both callers', async () => {
        let current = ada;
        const live = client
          .createClient({ url, token: () => current })
          .collection('notes')
          .live();
        answer = ({ url: path, headers }, response) => {
          const owner = headers.authorization === `Bearer ${ada}` ? 'Ada' : 'Bob';
          const next = path?.includes('cursor') ? null : 'more';
          json(response, 200, { items: [{ owner }], next }, { 'events-position': '1' });
          current = bob;
        };
        for await (const items of live) {
          const owners = items.map(({ owner }) => owner);
          assert.deepEqual(owners, ['Bob', 'Bob']);
          break;
        }
      });
    });

  describe('when the token is replaced', () => {
    it('a retry with another token of the same caller succeeds', async () => {
      const tokens = [ada, tokenOf('Ada', { scope: 'less', jti: '2' })];
      const notes = client.createClient({ url, token: () => tokens[seen.length] ?? '' }).collection('notes');
      answer = (_, response) =>
        seen.length === 1
          ? json(response, 503, overloaded)
          : json(response, 201, { id: '1' }, { etag: '"1"' });
      assert.equal((await notes.create({ text: 'a' })).id, '1');
      assert.deepEqual(seen, [
        ['POST', tokens[0]],
        ['POST', tokens[1]],
      ]);
    });
  });

  describe('behind a proxy', () => {
    it('an invalid Retry-After counts as one second', async () => {
      for (const said of ['-5', '0', 'soon', '-Infinity']) {
        answer = (_, response) => json(response, 503, overloaded, { 'retry-after': said });
        const { notes } = client.createClient({ url, token: () => ada, deadlineSeconds: 0.5 }).collections;
        const problem = await refused(notes?.get('1') ?? Promise.resolve());
        assert.equal(problem.retryAfterSeconds, 1, said);
      }
      assert.equal(seen.length, 4);
    });

    const notes = () => client.createClient({ url, token: () => ada }).collection('notes');
    const countUp = ({ count }: Record<string, number>) => ({ count: (count ?? 0) + 1 });

    it('an update by a function fails if the response has no ETag', async () => {
      answer = (_, response) => json(response, 200, { id: '1', count: 1 });
      const problem = await refused(notes().update('1', countUp));
      assert.equal(problem.code, 'unknown');
      assert.match(problem.title, /ETag/);
      assert.deepEqual(seen, [['GET', ada]]);
    });

    it('a weak ETag from the proxy is sent back as the strong one of the service', async () => {
      let version = 1;
      answer = ({ method, headers }, response) => {
        const etag = `W/"${version}"`;
        if (method === 'GET') {
          // Another caller has changed the record.
          version = 2;
          return json(response, 200, { id: '1', count: 1 }, { etag });
        }
        if (headers['if-match'] !== `"${version}"`)
          return json(
            response,
            412,
            { code: 'precondition_failed', current: { id: '1', count: 2 } },
            { etag },
          );
        json(response, 200, { id: '1', count: 3 }, { etag: 'W/"3"' });
      };
      const changed = await notes().update('1', countUp, { deadlineSeconds: 5 });
      assert.equal(changed.count, 3);
      assert.equal(client.etagOf(changed), '"3"');
      const late = await refused(notes().update('1', {}, { ifMatch: '"1"' }));
      assert.equal(late.etag, '"2"');
    });

    for (const body of [null, 7, 'no', []])
      it(`a refusal with the body ${JSON.stringify(body)} is reported by its status`, async () => {
        answer = (_, response) => json(response, 400, body);
        const { status, code, title } = await refused(notes().get('1', { deadlineSeconds: 5 }));
        assert.deepEqual([status, code, title], [400, 'unknown', 'Status 400']);
        assert.equal(seen.length, 1);
      });
  });

  describe('when the service redirects', () => {
    for (const status of [301, 302, 307, 308])
      it(`a ${status} is neither followed nor retried, and is reported with its status`, async () => {
        const elsewhere: string[] = [];
        const other = createServer((request, response) => {
          elsewhere.push(String(request.method));
          request.resume().on('end', () => json(response, 201, { id: '1' }, { etag: '"1"' }));
        });
        const location = `${await listen(other)}/notes`;
        answer = (_, response) => json(response, status, {}, { location });
        try {
          const notes = client.createClient({ url, token: () => ada }).collection('notes');
          for (const call of [() => notes.create({ text: 'a secret of Ada' }), () => notes.get('1')]) {
            const problem = await refused(call());
            assert.deepEqual([problem.status, problem.code, problem.maybeDone], [status, 'unknown', false]);
          }
        } finally {
          other.close();
        }
        assert.deepEqual(elsewhere, []);
        assert.equal(seen.length, 2);
      });
  });

  describe('when a listener throws', () => {
    const thrown: unknown[] = [];
    before(() => process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error)));
    after(() => process.setUncaughtExceptionCaptureCallback(null));

    it('the other listeners are called, the list stays live and the error is reported', async () => {
      answer = ({ url: path, headers }, response) => {
        if (!path?.endsWith('/events'))
          return json(response, 200, { items: [], next: null }, { 'events-position': '0' });
        const from = Number(headers['last-event-id'] ?? 0);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: start\ndata: {"position":${from}}\n\n`);
        const event = { type: 'notes.created', data: { collection: 'notes', id: 'a' } };
        if (from < 1) response.write(`id: 1\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      };
      const service = client.createClient({ url, token: () => ada });
      const fail = (what: string) => () => {
        throw new RangeError(what);
      };
      const heard: number[] = [];
      let told = 0;
      const live = service.collection('notes').live();
      const ends = [
        live.subscribe(fail('subscriber')),
        live.subscribe(() => {
          told += 1;
        }),
        service.events.watch(fail('watcher')),
        service.events.listen({ after: 0, hear: fail('hear'), missed: fail('missed') }),
        service.events.listen({ after: 0, hear: ({ position }) => heard.push(position), missed() {} }),
      ];
      await until(() => heard.length, 1, 'the second one hears nothing');
      await until(() => seen.length >= 3, true, 'the list is not read again');
      assert.equal(live.error, null);
      assert.ok(told > 0);
      assert.equal(service.events.status, 'live');
      const messages = new Set(thrown.map((error) => (error as Error).message));
      for (const message of ['subscriber', 'watcher', 'hear']) assert.ok(messages.has(message), message);
      live.close();
      for (const end of ends) end();
    });
  });

  describe('when the token of one of two tabs is refused', () => {
    // Tabs need a document; Node has everything else.
    before(() => Object.assign(globalThis, { document: {} }));
    after(() => Reflect.deleteProperty(globalThis, 'document'));

    /** Two tabs share a stream until the token of the first one is refused with this code. */
    async function shutOut(code: string, check: (tabs: client.Client<client.Untyped>[]) => Promise<void>) {
      const tokens = [tokenOf(code, { jti: 'first' }), tokenOf(code, { jti: 'second' })];
      let isRefused = false;
      let endStream = () => {};
      answer = ({ headers }, response) => {
        const isFirst = headers.authorization === `Bearer ${tokens[0]}`;
        if (isFirst && isRefused) return json(response, 403, { code, title: code });
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: start\ndata: {"position":5}\n\n');
        endStream = () => response.end('event: end\ndata: {"reason":"token_expired"}\n\n');
      };
      const tabs = tokens.map((token) => client.createClient({ url, token: () => token }));
      const listening: (() => void)[] = [];
      for (const { events } of tabs) {
        listening.push(events.listen({ after: 5, hear() {}, missed() {} }));
        await until(() => events.status, 'live', 'it does not begin');
      }
      assert.equal(seen.length, 1, 'they share a stream');
      isRefused = true;
      endStream();
      try {
        await until(() => tabs[0]?.events.status, 'ended', 'the first one does not end');
        assert.equal(tabs[0]?.events.reason, code);
        await check(tabs);
      } finally {
        for (const end of listening) end();
      }
    }

    for (const code of ['token_expired', 'token_bound', 'key_unknown', 'signature_invalid'])
      it(`only this tab ends, and the other takes over the stream: ${code}`, () =>
        shutOut(code, async ([first, second]) => {
          const taken = ['live', tokenOf(code, { jti: 'second' })];
          const state = () => [second?.events.status, seen.at(-1)?.[1]];
          await until(state, taken, 'the second one does not take over');
          assert.equal(first?.events.status, 'ended', 'it is still told what happens');
        }));

    for (const code of ['consumer_suspended', 'client_disabled'])
      it(`both tabs end if the refusal is about the caller: ${code}`, () =>
        shutOut(code, async ([, second]) => {
          await until(() => second?.events.status, 'ended', 'the second one does not end');
          assert.equal(second?.events.reason, code);
          const firstToken = tokenOf(code, { jti: 'first' });
          assert.ok(seen.every(([, token]) => token === firstToken));
        }));
  });
});
