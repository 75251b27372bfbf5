import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Caller, VerifiedToken } from '../../src/base/caller.ts';
import { Refusal } from '../../src/base/errors.ts';
import { type Input, json, type NowOrLater } from '../../src/base/handler.ts';
import { exportAll } from '../../src/consumer/export.ts';
import type { ConsumerParts } from '../../src/consumer/handler-parts.ts';
import type { Route } from '../../src/http/routes.ts';
import { createServer } from '../../src/http/server.ts';
import {
  iterationsBetweenSlices,
  longestWaitMs,
  maxBegunPerKey,
  maxWaitingPerKey,
  sliceMs,
  Turns,
} from '../../src/http/turns.ts';
import { searchPage } from '../../src/records/requests/page.ts';
import type { RecordQuery } from '../../src/storage/port.ts';
import { bareServer } from '../support/http/bare-server.ts';
import { head } from '../support/http/raw-http.ts';
import { until } from '../support/run/polling.ts';

const work = <T>(key: string, run: (leave: () => void, hasWaited: boolean) => NowOrLater<T>) => {
  return { key, run, hasHungUp: () => false };
};

/** Takes more than a slice of main-thread time. */
function useUpSlice(): void {
  const end = performance.now() + sliceMs + 1;
  while (performance.now() < end);
}

describe('turns', () => {
  it('begin a request at once, without a promise, while the slice has time left', (context) => {
    context.mock.method(performance, 'now', () => 0);
    const turns = new Turns();
    for (let n = 0; n < 3; n += 1) assert.equal(turns.take(work('a', () => n)), n);
    const failing = work('a', () => {
      throw new Error('of the handler');
    });
    for (let n = 0; n <= maxBegunPerKey; n += 1) assert.throws(() => turns.take(failing));
    assert.equal(turns.giveWay('a'), undefined);
    assert.equal(turns.take(work('a', (_, hasWaited) => hasWaited)), false);
  });

  it('serve another caller after two requests at most, however many of one caller wait', async () => {
    const turns = new Turns();
    const begun: string[] = [];
    const begin = (key: string) =>
      turns.take(
        work(key, (_, hasWaited) => {
          begun.push(key);
          useUpSlice();
          return hasWaited;
        }),
      );
    const all = Array.from({ length: 20 }, () => begin('a'));
    await nextIteration();
    const before = begun.length;
    all.push(begin('b'));
    assert.equal(await all.at(-1), true);
    await Promise.all(all);
    assert.ok(begun.indexOf('b') <= before + 2, begun.join());
    assert.equal(begun.length, 21);
  });

  it('hold back a caller with two unanswered requests, and no other', async () => {
    const turns = new Turns();
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const leaves: (() => void)[] = [];
    const answers = Array.from({ length: 2 * maxBegunPerKey }, () =>
      turns.take(
        work('a', (leave) => {
          begun += 1;
          leaves.push(leave);
          return promise;
        }),
      ),
    );
    /** Waits for so many, and then for longer than a slice waits, in which no other may begin. */
    const assertBegun = async (expected: number, what: string) => {
      await until(
        () => begun,
        (count) => count >= expected,
        what,
      );
      for (let n = 0; n < 2 * iterationsBetweenSlices; n += 1) await nextIteration();
      assert.equal(begun, expected, what);
    };
    await assertBegun(maxBegunPerKey, 'a caller has two begun requests');
    assert.equal(await turns.take(work('b', () => 'b')), 'b');
    leaves[0]?.();
    leaves[0]?.();
    await assertBegun(maxBegunPerKey + 1, 'a request that leaves twice frees one place');
    resolve();
    await Promise.all(answers);
    assert.equal(begun, answers.length);
  });

  it('continue a request that has given way before new requests of its caller, and after those of others', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const note = (name: string) => work(name, () => void done.push(name));
    const long = turns.take(
      work('a', async () => {
        useUpSlice();
        const others = [turns.take(note('a')), turns.take(note('b'))];
        await turns.giveWay('a');
        done.push('long');
        await Promise.all(others);
      }),
    );
    await long;
    assert.deepEqual(done.toSorted(), ['a', 'b', 'long']);
    assert.ok(done.indexOf('long') < done.indexOf('a'), done.join());
  });

  it('refuse a request that has waited for too long for a place', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const clock = context.mock.method(performance, 'now', () => 0);
    const turns = new Turns();
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Array.from({ length: maxBegunPerKey }, () => turns.take(work('a', () => promise)));
    const late = Promise.resolve(turns.take(work('a', () => assert.fail('begun'))));
    const refused = assert.rejects(late, { code: 'overloaded' });
    clock.mock.mockImplementation(() => longestWaitMs + 1);
    context.mock.timers.tick(1_000);
    await refused;
    resolve();
    await Promise.all(begun);
    assert.equal(await turns.take(work('a', () => 'next')), 'next');
  });

  it('leave room between two slices, in which the system hands over new connections', async () => {
    const server = createTcpServer(() => {
      accepted += 1;
    });
    let accepted = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const turns = new Turns();
    const all = Array.from({ length: 4 }, () => turns.take(work('a', useUpSlice)));
    const sockets = Array.from({ length: iterationsBetweenSlices }, () => connect(port, '127.0.0.1'));
    await Promise.all(all);
    for (const socket of sockets) socket.destroy();
    server.close();
    assert.ok(accepted >= sockets.length / 2, `${accepted} connections were accepted during four slices`);
  });

  it('drop a request whose caller has hung up, and refuse those past the limit', async (context) => {
    let now = 0;
    context.mock.method(performance, 'now', () => now);
    const whole = work('a', () => {
      now += sliceMs;
    });
    const turns = new Turns();
    turns.take(whole);
    const gone = turns.take({ ...work('a', () => assert.fail('begun')), hasHungUp: () => true });
    await assert.rejects(Promise.resolve(gone), Refusal);
    turns.take(whole);
    const waiting = Array.from({ length: maxWaitingPerKey }, () => turns.take(work('a', () => 1)));
    assert.throws(() => turns.take(work('a', () => 1)), { code: 'overloaded' });
    assert.equal(await turns.take(work('b', () => 'b')), 'b');
    await Promise.all(waiting);
  });
});

describe('one address without a token', () => {
  let begun = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const handle = async () => {
    begun += 1;
    await released;
    return json({});
  };
  const route = { describe: null, cors: false, maxBodyBytes: 1_048_576 } as const;
  const { server } = createServer({
    ...bareServer,
    routes: [
      { ...route, method: 'POST', path: '/token', access: 'client_credentials', handle },
      { ...route, method: 'GET', path: '/livez', access: 'ops', handle: () => json({}) },
    ] satisfies Route[],
    observe: () => () => {},
  });
  const sockets: Socket[] = [];
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = (from: string, ...request: Parameters<typeof head>) => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    sockets.push(socket);
    socket.write(head(...request));
    return { socket, answered: once(socket, 'data').then(([data]) => String(data)) };
  };
  const livez = () => open('127.0.0.1', 'GET', '/livez').answered;

  it('receives a few large bodies at once', async () => {
    const large = ['content-length: 100000', 'expect: 100-continue'];
    let continued = 0;
    const uploads = Array.from({ length: 5 }, () => {
      const upload = open('127.0.0.2', 'POST', '/token', ...large);
      void upload.answered.then(() => {
        continued += 1;
      });
      return upload;
    });
    await until(
      () => continued,
      (count) => count >= maxBegunPerKey,
      'no body is received',
    );
    for (let n = 0; n < 3; n += 1) await livez();
    assert.equal(continued, maxBegunPerKey);
    assert.match(await open('127.0.0.3', 'POST', '/token', ...large).answered, /^HTTP\/1.1 100/);
    for (const { socket } of uploads) socket.destroy();
  });

  it('has two begun requests, and holds up neither other addresses nor probes', async () => {
    const flood = Array.from({ length: 8 }, () => open('127.0.0.4', 'POST', '/token'));
    await until(
      () => begun,
      (count) => count >= maxBegunPerKey,
      'no request begins',
    );
    for (let n = 0; n < 3; n += 1) assert.match(await livez(), /^HTTP\/1.1 200/);
    assert.equal(begun, maxBegunPerKey);
    const other = open('127.0.0.5', 'POST', '/token');
    await until(
      () => begun,
      (count) => count === maxBegunPerKey + 1,
      'the other address waits',
    );
    release();
    for (const { answered } of [...flood, other]) assert.match(await answered, /^HTTP\/1.1 200/);
  });
});

describe('refusals before the turn of a request', () => {
  const requests = [
    ['an unknown address', 'GET', '/nothing'],
    ['a method that is not allowed', 'PUT', '/document'],
    ['a token that is refused', 'GET', '/mine'],
  ] as const;
  let refused = 0;
  const handle = () => json({});
  const route = { method: 'GET', describe: null, cors: false } as const;
  const { server } = createServer({
    ...bareServer,
    authenticate: () => {
      throw new Refusal('token_missing');
    },
    routes: [
      { ...route, path: '/document', access: 'public', handle },
      { ...route, path: '/mine', access: 'bearer', handle },
    ] satisfies Route[],
    observe: () => (_method, status) => {
      if (status === 200) return;
      refused += 1;
      useUpSlice();
    },
  });
  const open = async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    return socket;
  };
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => server.close());

  for (const [name, method, path] of requests)
    it(`take turns by address: ${name}`, async () => {
      const sockets = await Promise.all(Array.from({ length: 30 }, open));
      // One connection is accepted in each iteration; all requests are then found in one.
      for (const _ of sockets) await nextIteration();
      refused = 0;
      for (const socket of sockets) socket.write(head(method, path));
      const flood = sockets.map((socket) => once(socket, 'data'));
      await Promise.race(flood);
      // One in the iteration of the requests, and one in each until the first answer is read.
      assert.ok(refused <= 4, `${refused} were answered before anybody else had a turn`);
      await Promise.all(flood);
    });
});

it('a search gives way after each record', async () => {
  const bodies = Array.from({ length: 20 }, (_, n) => ({ id: `${n}`, body: '{}', value: n }));
  const store = { placeAfter: async () => null, bodies: async () => bodies };
  let pauses = 0;
  const giveWay = () => {
    pauses += 1;
  };
  const wanted = { limit: 50, after: null } as RecordQuery;
  await searchPage(
    { store, wanted, recordBytes: 16_384, giveWay },
    () => false,
    async () => [],
  );
  assert.equal(pauses, bodies.length);
});

it('an export reads long histories in pieces, and gives way after each of them', async () => {
  const records = ['one', 'other'].map((id) => {
    return { id, collection: 'notes', state: null, revision: 'r', body: '{}', createdAt: 0, updatedAt: 0 };
  });
  const entries = records.flatMap(({ id: recordId }) =>
    Array.from({ length: 1_500 }, (_, index) => {
      return { recordId, n: index + 1, at: 0, action: 'update', fromState: null, toState: null, role: null };
    }),
  );
  const reads: number[] = [];
  let pauses = 0;
  const store = {
    ofOwner: async (_owner: string, after: unknown) => (after === null ? records : []),
    history: async (
      _collection: string,
      _ids: readonly string[],
      after: (typeof entries)[number] | null,
      limit: number,
    ) => {
      const from = after === null ? 0 : entries.indexOf(after) + 1;
      const page = entries.slice(from, from + limit);
      reads.push(page.length);
      return page;
    },
    membershipsOf: async () => [],
    invitationsBy: async () => [],
  };
  const parts = {
    store,
    registry: { register: async () => null },
    reads: { take: () => ({}), meter: () => () => {} },
    exports: { take: () => () => {} },
    clock: { now: () => 0 },
  };
  const input = {
    onClose: () => {},
    giveWay: () => {
      pauses += 1;
    },
  };
  const handle = exportAll([], parts as unknown as ConsumerParts);
  const caller = { id: 'a', scopes: [] } as unknown as Caller;
  const { chunks } = await handle(input as unknown as Input, caller, {} as VerifiedToken);
  const histories = [];
  for await (const text of chunks ?? []) {
    const { type, record, items } = JSON.parse(text);
    if (type === 'history') histories.push([record, items.length]);
  }
  assert.deepEqual(histories, [
    ['one', 1_500],
    ['other', 1_500],
  ]);
  assert.ok(Math.max(...reads) <= 1_000, reads.join());
  assert.ok(pauses >= reads.length - 1, `${pauses} pauses for ${reads.length} reads`);
});
