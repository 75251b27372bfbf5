import type * as Package from '../../../packages/client/src/index.ts';
import { all, api, type Cases, check, refused, same, signedIn, texts } from './scene.ts';

export const batch: Cases = {
  'a batch creates, updates, acts and deletes, and returns records with versions': async (scene) => {
    const service = await signedIn(scene);
    const [notes, bookings] = [service.collection('notes'), service.collection('bookings')];
    const [old, booking] = [
      await notes.create({ text: 'old' }),
      await bookings.create({ slot: '2027-01-01T09:00:00Z', seats: 2 }),
    ];
    const results = await service.batch([
      { create: 'notes', fields: { text: 'new' } },
      { update: 'bookings', id: booking.id, fields: { seats: 3 }, ifMatch: booking },
      { act: 'submit', in: 'bookings', id: booking.id },
      { delete: 'notes', id: old.id, ifMatch: scene.client.etagOf(old) },
    ]);
    const [made, changed, moved, gone] = results;
    same([made?.text, changed?.seats, moved?.state, gone], ['new', 3, 'submitted', undefined]);
    same(texts(await all(notes.list())), ['new']);
    same((await notes.update(String(made?.id), { done: true }, { ifMatch: made })).done, true);
    const late = bookings.act(booking.id, 'cancel', {}, { ifMatch: changed });
    same((await refused(late, scene.client)).code, 'precondition_failed');
    same((await bookings.act(booking.id, 'cancel', {}, { ifMatch: moved })).state, 'cancelled');
  },

  'a refused batch changes nothing, and names the operation and its cause': async (scene) => {
    const service = await signedIn(scene);
    const notes = service.collection('notes');
    const first = await notes.create({ text: 'one' });
    await notes.update(first.id, { done: true });
    const problem = await refused(
      service.batch([
        { create: 'notes', fields: { text: 'two' } },
        { update: 'notes', id: first.id, fields: { done: false }, ifMatch: first },
      ]),
      scene.client,
    );
    same([problem.status, problem.code, problem.index, problem.maybeDone], [409, 'batch_refused', 1, false]);
    const cause = problem.cause as Package.Problem;
    check(cause instanceof scene.client.Problem, 'its cause is no problem');
    same([cause.status, cause.code], [412, 'precondition_failed']);
    const { done } = cause.record as { done?: boolean };
    same([done, cause.etag], [true, scene.client.etagOf(await notes.get(first.id))]);
    same(texts(await all(notes.list())), ['one']);

    const invalid = service.batch([{ create: 'notes', fields: { words: 'two' } }]);
    const { errors } = (await refused(invalid, scene.client)).cause as Package.Problem;
    check(errors.length > 0, 'it does not say what is wrong with which field');
    same((await refused(service.batch([]), scene.client)).status, 400);
    const wrong = service.batch([{ delete: 'notes', id: first.id, ifMatch: { id: first.id } }]);
    check((await wrong.catch((error) => error)) instanceof TypeError, 'a record without a version is taken');
  },

  'a batch whose answer is lost is retried and done once': async (scene) => {
    const service = await signedIn(scene);
    const notes = service.collection('notes');
    const path = `POST ${api}/batch`;
    const before = await scene.stage.count(path);
    await scene.stage.arrange({ on: path, what: 'after' });
    const operations = ['a', 'b', 'c'].map((text) => ({ create: 'notes', fields: { text } }));
    const made = await service.batch(operations);
    const names = made.map((note) => note?.text);
    same(names, ['a', 'b', 'c']);
    same((await scene.stage.count(path)) - before, 2);
    same(texts(await all(notes.list())), ['a', 'b', 'c']);
    for (const _ of ['first', 'second'])
      await service.batch([{ create: 'notes', fields: { text: 'd' } }], {
        idempotencyKey: scene.name.length.toString(),
      });
    same(texts(await all(notes.list())), ['a', 'b', 'c', 'd']);
  },
};
