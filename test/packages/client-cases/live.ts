import type * as Package from '../../../packages/client/src/index.ts';
import { all, api, type Cases, check, ended, same, signedIn, texts, until } from './scene.ts';

export const live: Cases = {
  'a live list follows creation, update, change of state and deletion elsewhere': async (scene) => {
    const [here, there] = [await signedIn(scene), (await signedIn(scene)).collection('bookings')];
    const live = here.collection('bookings').live({ state: 'draft', sort: 'slot' });
    const seats = () => live.items?.map((booking) => booking.seats).join() ?? null;
    using _ = ended(live);
    await until(() => live.status === 'live' && live.items?.length === 0, 'it does not begin');
    const second = await there.create({ slot: '2027-02-02T00:00:00Z', seats: 2 });
    await until(() => seats() === '2', 'a new one is not seen');
    const first = await there.create({ slot: '2027-02-01T00:00:00Z', seats: 1 });
    await until(() => seats() === '1,2', 'another one is not seen where it belongs');
    await there.update(second.id, { seats: 8 });
    await until(() => seats() === '1,8', 'a change is not seen');
    await there.submit?.(first.id);
    await until(() => seats() === '8', 'one that left the state is still there');
    await there.remove(second.id);
    await until(() => seats() === '', 'a removed one is still there');
  },

  'the status of a live list says whether all, own or no records have events': async (scene) => {
    const here = await signedIn(scene);
    const statusOf = async (collection: string, query: object = {}) => {
      const live = here.collection(collection).live(query);
      using _ = ended(live);
      await until(() => live.items !== null && here.events.status === 'live', 'it does not begin');
      return live.status;
    };
    same(await statusOf('boards'), 'own', 'a list with records of others');
    same(await statusOf('boards', { mine: true }), 'live', 'the own records of such a list');
    same(await statusOf('notes'), 'live', 'a list that nobody else reads');
    same(await statusOf('drafts'), 'none', 'a collection without events');
    const machineToken = await scene.stage.machineToken();
    const machine = await signedIn(scene, { token: () => machineToken });
    const page = await machine.collection('bookings').page();
    same(page.eventsScope, null, 'a machine client that gets events of all records');
  },

  'after another user signs in a live list has no records of the former one, also if it was paused': async (
    scene,
  ) => {
    const tokens = [
      await scene.stage.token(`${scene.name}, Ada`),
      await scene.stage.token(`${scene.name}, Bob`),
    ];
    for (const isPaused of [false, true]) {
      let token = tokens[0] as string;
      const here = await signedIn(scene, { token: () => token });
      await here.collection('notes').create({ text: 'of Ada' });
      const live = here.collection('notes').live();
      using _ = ended(live);
      await until(() => live.status === 'live' && (live.items?.length ?? 0) > 0, 'it does not begin');
      if (isPaused) here.events.pause();
      token = tokens[1] as string;
      await here.me();
      if (isPaused) here.events.resume();
      await until(() => live.items?.length === 0, `it keeps them (paused: ${isPaused})`);
    }
  },

  'for await yields the current live list; leaving the loop closes the stream': async (scene) => {
    const service = await signedIn(scene);
    const notes = service.collection('notes');
    const turns: number[] = [];
    for await (const items of notes.live()) {
      if (turns.at(-1) !== items.length) turns.push(items.length);
      if (items.length === 2) break;
      await notes.create({ text: 'one more' });
    }
    same(turns, [0, 1, 2]);
    await until(() => service.events.status === 'off', 'the stream is still there');
  },

  'a live list holds more than one page, and at most limit records': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    await Promise.all(Array.from({ length: 203 }, (_, index) => notes.create({ text: `${index}` })));
    for (const [limit, expected] of [
      [undefined, 203],
      [3, 3],
    ] as const) {
      const live = notes.live({ limit });
      await until(() => live.items !== null, 'it does not begin');
      live.close();
      same(live.items?.length, expected);
    }
  },

  'a live list misses no change across cut connections and a restart': async (scene) => {
    const [here, there] = [await signedIn(scene), (await signedIn(scene)).collection('notes')];
    const live = here.collection('notes').live();
    using _ = ended(live);
    await until(() => live.status === 'live', 'it does not begin');
    const expected: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      if (round === 2) await scene.stage.restart();
      else await scene.stage.cutAll();
      for (const part of ['a', 'b', 'c']) {
        expected.push(`${part}${round}`);
        await there.create({ text: `${part}${round}` });
      }
      here.events.resume();
      const wanted = [...expected].sort().join();
      await until(() => texts(live.items)?.join() === wanted, `round ${round}: some are missing`);
    }
    await until(() => live.status === 'live', 'it does not come back');
  },

  'a live list polls while no stream can be opened': async (scene) => {
    const here = await signedIn(scene);
    const what = { status: 502, body: {} };
    await scene.stage.arrange({ on: `GET ${api}/events`, what, times: 2 });
    const live = here.collection('notes').live();
    using _ = ended(live);
    await until(() => live.status === 'polling', 'it does not say that there is none');
    await here.collection('notes').create({ text: 'one' });
    here.events.resume();
    await until(() => live.items?.length === 1, 'what happened is not seen');
  },

  'a resumed stream delivers the events of the pause': async (scene) => {
    const here = await signedIn(scene);
    const notes = here.collection('notes');
    const heard: string[] = [];
    const page = await notes.page();
    const unlisten = here.events.listen({
      collection: 'notes',
      after: page.position,
      hear: ({ type, data }) => heard.push(`${type} ${data.id}`),
      missed: () => heard.push('missed'),
    });
    using _ = ended(unlisten);
    const first = await notes.create({ text: 'one' });
    await until(() => heard.length === 1, 'it is not heard');
    here.events.pause();
    same(here.events.status, 'off');
    const second = await notes.create({ text: 'two' });
    await here.collection('counters').create({ count: 0 });
    here.events.resume();
    await until(() => heard.length === 2, 'what happened meanwhile is not heard');
    same(heard, [`notes.created ${first.id}`, `notes.created ${second.id}`]);
  },

  'a listener with an older position is told of missed events, then gets new ones': async (scene) => {
    const here = await signedIn(scene);
    const notes = here.collection('notes');
    const heard: string[] = [];
    const { position } = await notes.page();
    const live = notes.live();
    let unlisten = () => {};
    using _ = ended(unlisten, live);
    await until(() => live.status === 'live', 'it does not get live');
    await notes.create({ text: 'one' });
    await until(() => live.items?.length === 1, 'the list does not show it');
    unlisten = here.events.listen({
      collection: 'notes',
      after: position,
      hear: ({ data }) => heard.push(data.id),
      missed: () => heard.push('missed'),
    });
    const second = await notes.create({ text: 'two' });
    await until(() => heard.length === 2, 'it is not heard');
    same(heard, ['missed', second.id]);
  },

  'a live list shows the records of the caller who has signed in last': async (scene) => {
    const tokens = [await scene.stage.token(scene.name), await scene.stage.token(`${scene.name} too`)];
    const [one, other] = tokens.map((token) =>
      scene.client.createClient({ url: scene.url, token: () => String(token) }),
    );
    await one?.collection('notes').create({ text: 'of the one' });
    await other?.collection('notes').create({ text: 'of the other' });
    let current = String(tokens[0]);
    const service = scene.client.createClient({ url: scene.url, token: () => current });
    const live = service.collection('notes').live();
    using _ = ended(live);
    const shown = () => `${live.status}: ${texts(live.items)}`;
    await until(() => shown() === 'live: of the one', 'it does not begin');
    current = String(tokens[1]);
    await service.me();
    await until(() => shown() === 'live: of the other', 'it is still the list of the one before');
    await one?.collection('notes').create({ text: 'of the one again' });
    await other?.collection('notes').create({ text: 'of the other again' });
    await until(() => texts(live.items)?.join() === 'of the other,of the other again', 'it is not alive');
  },

  'a live list ends with the code erased after erasure of the caller': async (scene) => {
    const service = await signedIn(scene);
    const live = service.collection('notes').live();
    using _ = ended(live);
    await service.collection('notes').create({ text: 'one' });
    await until(() => live.status === 'live', 'it does not begin');
    await service.erase();
    await until(() => live.status === 'ended', 'it does not end');
    same((live.error as Package.Problem).code, 'erased');
    check((await all(live).catch((error) => error)) === live.error, 'the loop does not end with it');
  },
};
