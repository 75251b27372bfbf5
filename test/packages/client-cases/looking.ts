import { all, type Cases, refused, same, signedIn, signedInToo } from './scene.ts';

/** What the service says of records besides the records. */
export const looking: Cases = {
  'says what happened to a record': async (scene) => {
    const ada = await signedIn(scene);
    const lists = ada.collection('lists');
    const { id } = await lists.create({ text: 'milk' });
    await lists.update(id, { text: 'bread' });
    const steps = await all(lists.history(id));
    same(
      steps.map(({ action, from, to, by }) => [action, from, to, by]),
      [
        ['create', null, null, 'owner'],
        ['update', null, null, 'owner'],
      ],
    );
    const bob = (await signedInToo(scene, 'Bob')).collection('lists');
    same((await refused(all(bob.history(id)), scene.client)).code, 'not_found');
  },
};
