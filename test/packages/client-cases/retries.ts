import { all, api, type Cases, check, pause, refused, same, signedIn, texts } from './scene.ts';

export const retries: Cases = {
  'an update function runs again on a record that another caller has changed': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    const { id } = await notes.create({ text: 'one' });
    const seen: string[] = [];
    const changed = await notes.update(id, async ({ text }) => {
      seen.push(text);
      if (seen.length === 1) await notes.update(id, { text: 'two' });
      return { done: true };
    });
    same([seen, changed.text, changed.done], [['one', 'two'], 'two', true]);
    same(await scene.stage.count(`GET ${api}/notes/${id}`), 1, 'the record came with the refusal');
  },

  'every try asks for the token, and an expired token is replaced once': async (scene) => {
    const [good, old] = [await scene.stage.token(scene.name), await scene.stage.token(scene.name, -100)];
    const asked: (string | undefined)[] = [];
    const service = scene.client.createClient({
      url: scene.url,
      token: async (expired) => {
        asked.push(expired);
        return expired === undefined ? old : good;
      },
    });
    same((await service.me()).subject, scene.name);
    same(asked, [undefined, old]);
    const { url } = scene;
    const hopeless = scene.client.createClient({ url, token: () => String(asked.push('') && old) });
    same((await refused(hopeless.me(), scene.client)).code, 'token_expired');
    same(asked.length, 4, 'it is tried once more, and not for ever');
    const failing = scene.client.createClient({ url, token: () => Promise.reject(new RangeError('no')) });
    const failure = await failing.me().catch((error) => error);
    check(failure instanceof RangeError, 'what the token failed with is told');
  },

  'a retry waits for Retry-After, within the deadline': async (scene) => {
    const service = await signedIn(scene);
    const [on, body] = [`GET ${api}/me`, { code: 'overloaded', title: 'Try again.' }];
    await scene.stage.arrange({ on, what: { status: 503, headers: { 'retry-after': '1' }, body } });
    const began = performance.now();
    same((await service.me()).subject, scene.name);
    check(performance.now() - began >= 1_000, 'it came back too early');
    const refusal = { status: 503, headers: { 'retry-after': '60' }, body };
    await scene.stage.arrange({ on, what: refusal, times: 2 });
    const problem = await refused(service.me({ deadlineSeconds: 2 }), scene.client);
    same([problem.code, problem.retryAfterSeconds], ['overloaded', 60]);
    const alone = await signedIn(scene, { repeats: false });
    same((await refused(alone.me(), scene.client)).code, 'overloaded');
    check(performance.now() - began < 20_000, 'it waited for what is beyond the deadline');
  },

  'a spent write budget fails at once if it refills after the deadline': async (scene) => {
    const chips = (await signedIn(scene)).collection('chips');
    for (const text of ['a', 'b']) await chips.create({ text });
    const problem = await refused(chips.create({ text: 'c' }), scene.client);
    same([problem.status, problem.code, problem.maybeDone], [429, 'write_budget_spent', false]);
    check((problem.retryAfterSeconds ?? 0) > 30, 'it does not say when there is more');
  },

  'a request waits for the reset of an exhausted RateLimit': async (scene) => {
    const service = await signedIn(scene);
    const headers = { ratelimit: '"reads";r=0;t=1' };
    await scene.stage.arrange({ on: `GET ${api}/me`, what: { status: 200, headers, body: {} } });
    await service.me();
    const began = performance.now();
    await service.me();
    check(performance.now() - began >= 900, 'it asked although nothing was left');
  },

  'a read is retried after a cut connection': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    const { id } = await notes.create({ text: 'one' });
    for (const what of ['before', 'after', 'within'] as const) {
      await scene.stage.arrange({ on: `GET ${api}/notes/${id}`, what, times: 2 });
      same((await notes.get(id)).text, 'one');
    }
  },

  'a create is retried after cut connections and makes one record': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    for (const what of ['before', 'after', 'within'] as const) {
      await scene.stage.arrange({ on: `POST ${api}/notes`, what, times: 2 });
      same((await notes.create({ text: what })).text, what);
    }
    same(texts(await all(notes.list())), ['after', 'before', 'within']);
    const idempotencyKey = `key of ${scene.name}`;
    const [one, other] = [
      await notes.create({ text: 'keyed' }, { idempotencyKey }),
      await notes.create({ text: 'keyed' }, { idempotencyKey }),
    ];
    same(one.id, other.id);
  },

  'a change that is not idempotent is not repeated after a lost answer': async (scene) => {
    const { client, stage } = scene;
    const service = await signedIn(scene);
    const [counters, bookings] = [service.collection('counters'), service.collection('bookings')];
    const made = await counters.create({ count: 0 });
    const patch = `PATCH ${api}/counters/${made.id}`;

    await stage.arrange({ on: patch, what: 'within' });
    const unversioned = await refused(counters.update(made.id, { count: 1 }), client);
    same([unversioned.code, unversioned.maybeDone], ['service_unreachable', true]);
    same((await counters.get(made.id)).count, 1);

    await stage.arrange({ on: patch, what: 'within' });
    const counted = await refused(
      counters.update(made.id, ({ count }) => ({ count: count + 1 })),
      client,
    );
    const { count: kept } = counted.record as { count: number };
    same([counted.code, counted.maybeDone, kept], ['precondition_failed', true, 2]);

    await stage.arrange({ on: patch, what: 'before' });
    same((await counters.update(made.id, ({ count }) => ({ count: count + 1 }))).count, 3);

    await stage.arrange({ on: patch, what: 'within' });
    same((await counters.update(made.id, () => ({ count: 7 }))).count, 7, 'to do it again would do nothing');

    const booking = await bookings.create({ slot: '2027-01-01T00:00:00Z', seats: 1 });
    await stage.arrange({ on: `POST ${api}/bookings/${booking.id}/poke`, what: 'within', times: 2 });
    same((await refused(bookings.act(booking.id, 'poke'), client)).code, 'service_unreachable');
    const poked = await bookings.get(booking.id);
    const late = await refused(bookings.act(booking.id, 'poke', { ifMatch: poked }), client);
    same([late.code, late.maybeDone], ['precondition_failed', true]);
  },

  'a removal succeeds if an earlier try has removed the record': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    const { id } = await notes.create({ text: 'one' });
    await scene.stage.arrange({ on: `DELETE ${api}/notes/${id}`, what: 'within' });
    await notes.remove(id);
    same((await refused(notes.remove(id), scene.client)).code, 'not_found');
  },

  'an abort signal ends a request, a wait for a retry and a live list': async (scene) => {
    const service = await signedIn(scene);
    const ended = async (call: (signal: AbortSignal) => Promise<unknown>, afterMs: number) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new RangeError('enough')), afterMs);
      const error = await call(controller.signal).catch((reason) => reason);
      check(error instanceof RangeError, `it ended with ${error}`);
    };
    await ended(async (signal) => {
      await pause(50);
      await service.me({ signal });
    }, 0);
    const what = { status: 503, headers: { 'retry-after': '20' }, body: { code: 'overloaded' } };
    await scene.stage.arrange({ on: `GET ${api}/me`, what });
    await ended((signal) => service.me({ signal }), 300);
    const live = service.collection('notes').live({}, { signal: AbortSignal.abort() });
    same((await all(live)).length, 0);
  },
};
