import { all, api, type Cases, check, refused, same, signedIn, signedInToo, texts } from './scene.ts';

export const calls: Cases = {
  'me(), usage() and overview() return the caller, its usage and the collections': async (scene) => {
    const service = await signedIn(scene);
    const { kind, subject } = await service.me();
    same([kind, subject], ['user', scene.name]);
    const { collections } = await service.usage();
    same(collections.find(({ name }) => name === 'notes')?.records.used, 0);
    const { collections: shown } = await service.overview();
    same(shown.find(({ name }) => name === 'bookings')?.name, 'bookings');
  },

  'createClient takes the token as a text': async (scene) => {
    const service = await signedIn(scene, { token: await scene.stage.token(scene.name) });
    same((await service.me()).subject, scene.name);
  },

  'createClient refuses a wrong option with a sentence that has no token': async (scene) => {
    const { client, url, stage, name } = scene;
    const token = await stage.token(name);
    const wrong: [options: unknown, sentence: string][] = [
      [token, 'url: expected an http or https address'],
      [{ token }, 'url: expected an http or https address'],
      [{ url: token, token: url }, 'url: expected an http or https address'],
      [{ url: 'localhost:8080', token }, 'url: expected an http or https address'],
      [{ url }, 'token: expected a text'],
      [{ url, token: { token } }, 'token: expected a text'],
      [{ url, token: Promise.resolve(token) }, 'token: expected a text'],
    ];
    for (const [options, sentence] of wrong)
      try {
        client.createClient(options as never);
        check(false, `it was accepted: ${sentence}`);
      } catch (error) {
        check(error instanceof TypeError && error.message.includes(sentence), `${sentence}: ${error}`);
        check(!`${error.message} ${error.stack}`.includes(token), 'the error has the token');
      }
  },

  'create, get, update, replace and remove work on a record': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    const made = await notes.create({ text: 'one' });
    same((await notes.get(made.id)).text, 'one');
    same((await notes.update(made.id, { done: true })).done, true);
    same((await notes.update(made.id, { done: null })).done, undefined);
    same((await notes.replace(made.id, { text: 'two' })).text, 'two');
    same(texts(await all(notes.list())), ['two']);
    same(await notes.remove(made.id), undefined);
    same((await refused(notes.get(made.id), scene.client)).code, 'not_found');
  },

  'list() iterates over all pages; page() returns one page with its cursor': async (scene) => {
    const notes = (await signedIn(scene)).collection('notes');
    for (const text of ['a', 'b', 'c', 'd', 'e']) await notes.create({ text });
    const listed = await all(notes.list({ sort: 'created_at', limit: 2 }));
    const inOrder = listed.map(({ text }) => text);
    same(inOrder, ['a', 'b', 'c', 'd', 'e']);
    const first = await notes.page({ limit: 3, sort: 'created_at' });
    const second = await notes.page({ limit: 3, sort: 'created_at', cursor: first.next });
    same([first.items.length, second.items.length, second.next], [3, 2, null]);
    check(typeof first.position === 'number', 'the page does not say how far it has the log');
    for await (const note of notes.list({ limit: 1 })) {
      same(note.text, 'e');
      break;
    }
  },

  'list() filters by equality and by bounds': async (scene) => {
    const bookings = (await signedIn(scene)).collection('bookings');
    for (const seats of [1, 2, 3]) await bookings.create({ slot: `2027-01-0${seats}T00:00:00Z`, seats });
    const seatsOf = async (query: object) =>
      (await all(bookings.list(query))).map(({ seats }) => seats).sort();
    same(await seatsOf({ seats: 2 }), [2]);
    same(await seatsOf({ seats: { gte: 2 } }), [2, 3]);
    same(await seatsOf({ slot: { gt: new Date('2027-01-01T00:00:00Z'), lt: '2027-01-03T00:00:00Z' } }), [2]);
    same(await seatsOf({ 'seats[lt]': 2, state: 'draft', sort: undefined }), [1]);
  },

  'actions can be called as methods and by name': async (scene) => {
    const bookings = (await signedIn(scene)).collections.bookings;
    check(bookings !== undefined && (await bookings) === bookings, 'a collection is no promise');
    const { id } = await bookings.create({ slot: '2027-01-01T00:00:00Z', seats: 1 });
    const submitted = await bookings.submit?.(id);
    same(submitted?.state, 'submitted');
    same((await bookings.act(id, 'cancel')).state, 'cancelled');
    const problem = await refused(bookings.act(id, 'submit'), scene.client);
    same([problem.status, problem.code, problem.document.allowed], [409, 'invalid_transition', []]);
    same(JSON.stringify({ bookings }).length > 0, true);
  },

  'invalid collection names, ids and actions throw a TypeError': async (scene) => {
    const service = await signedIn(scene);
    const notes = service.collection('notes');
    const reserved = ['me', 'events', 'invitations', 'me#', 'me/export', '../v1/me?'];
    for (const name of ['', '.', '..', 'Notes', 'a'.repeat(64), ...reserved]) {
      const taken = await new Promise((done) => done(service.collection(name))).catch((reason) => reason);
      check(taken instanceof TypeError, `"${name}" is taken for a collection`);
    }
    for (const id of ['', '.', '..'])
      for (const call of [
        () => notes.get(id),
        () => notes.update(id, {}),
        () => notes.update(id, () => ({})),
        () => notes.replace(id, {}),
        () => notes.remove(id),
        () => notes.act(id, 'submit'),
      ])
        check((await call().catch((reason) => reason)) instanceof TypeError, `"${id}" is taken for an id`);
    for (const action of ['', '..', 'submit?', 'a/b', '_a', 'a'.repeat(33)])
      check(
        (await notes.act('x', action).catch((reason) => reason)) instanceof TypeError,
        `"${action}" is taken for an action`,
      );
    // Properties that JavaScript itself reads, such as "then", are not collections.
    check((await service.collections) === service.collections, 'collections are no promise');
    same(JSON.stringify(service.collections), '{}');
    for (const key of ['then', 'toJSON', Symbol.toPrimitive, Symbol.iterator])
      check(Reflect.get(service.collections, key) === undefined, `${String(key)} is no collection`);
  },

  'a refusal is a Problem with status, code, title and field errors': async (scene) => {
    const service = await signedIn(scene);
    const problem = await refused(service.collection('notes').create({ text: '', more: 1 }), scene.client);
    same([problem.status, problem.code, problem.name], [422, 'validation_failed', 'Problem']);
    check(
      problem.errors.length === 2 && problem.errors.some(({ pointer }) => pointer === '/text'),
      'no errors',
    );
    check(problem.message === problem.title && problem.title.length > 10, 'no sentence');
    same(problem.maybeDone, false);
    same((await refused(service.collection('notes').get('nothing'), scene.client)).code, 'not_found');
    same((await refused(service.collection('notes').page({ limit: 0 }), scene.client)).code, 'query_invalid');
    const nobody = scene.client.createClient({ url: scene.url, token: () => 'no.token.atall' });
    same((await refused(nobody.me(), scene.client)).status, 403);
  },

  'a change of an outdated version fails with the current record': async (scene) => {
    const { client } = scene;
    const ledger = (await signedIn(scene)).collection('ledger');
    const made = await ledger.create({ amount: 1 });
    same((await refused(ledger.update(made.id, { amount: 2 }), client)).code, 'precondition_required');
    const changed = await ledger.update(made.id, { amount: 2 }, { ifMatch: made });
    const late = await refused(ledger.replace(made.id, { amount: 9 }, { ifMatch: made }), client);
    same([late.code, (late.record as { amount: number }).amount], ['precondition_failed', 2]);
    same(late.etag, client.etagOf(changed));
    same((await ledger.update(made.id, ({ amount }) => ({ amount: amount + 1 }))).amount, 3);
    const [listed] = await all(ledger.list());
    const error = await ledger.update(made.id, { amount: 9 }, { ifMatch: listed }).catch((reason) => reason);
    check(error instanceof TypeError, 'a record of a list has no version');
    await ledger.remove(made.id, { ifMatch: '*' });
  },

  'export() yields all records, and throws if the response is incomplete': async (scene) => {
    const service = await signedIn(scene);
    for (const text of ['a', 'b']) await service.collection('notes').create({ text });
    const lines = await all(service.export());
    const types = lines.map(({ type }) => type);
    same(types, ['consumer', 'record', 'record']);
    await scene.stage.arrange({ on: `GET ${api}/me/export`, what: 'within' });
    const problem = await refused(all(service.export()), scene.client);
    check(['export_incomplete', 'service_unreachable'].includes(problem.code), problem.code);
    const { total } = await service.erase();
    same(total, 2);
  },

  'list() searches for words, and count() counts': async (scene) => {
    const [ada, bob] = [await signedIn(scene), await signedInToo(scene, 'Bob')];
    const lists = ada.collection('lists');
    for (const text of ['Milk and bread', 'milk', 'Bread']) await lists.create({ text });
    same(texts(await all(lists.list({ q: 'mil' }))), ['Milk and bread', 'milk']);
    same(texts(await all(lists.list({ q: 'bread milk', limit: 1 }))), ['Milk and bread']);
    same((await refused(lists.page({ q: 'm' }), scene.client)).code, 'query_invalid');
    same(await lists.count(), { count: 3 });
    same(await lists.count({ q: 'bread' }), { count: 2 });
    same(await bob.collection('lists').count(), { count: 0 });
    same((await refused(ada.collection('boards').count(), scene.client)).code, 'query_invalid');
  },

  'history() and the export return the actions on a record': async (scene) => {
    const ada = await signedIn(scene);
    const lists = ada.collection('lists');
    const { id } = await lists.create({ text: 'milk' });
    await lists.update(id, { text: 'bread' });
    const steps = await all(lists.history(id));
    const shown = steps.map(({ action, from, to, by }) => [action, from, to, by].join());
    same(shown, ['create,,,owner', 'update,,,owner']);
    const exported = (await all(ada.export())).find(({ type }) => type === 'history');
    same(exported, { type: 'history', collection: 'lists', record: id, items: steps });
    const bob = (await signedInToo(scene, 'Bob')).collection('lists');
    same((await refused(all(bob.history(id)), scene.client)).code, 'not_found');
  },
};
