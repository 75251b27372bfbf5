import { all, type Cases, refused, same, signedIn, signedInToo, texts } from './scene.ts';

export const looking: Cases = {
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
