import {
  all,
  api,
  type Cases,
  check,
  ended,
  pause,
  refused,
  same,
  signedIn,
  signedInToo,
  texts,
  until,
} from './scene.ts';

export const people: Cases = {
  'actions with input lend an item from one person to another': async (scene) => {
    const [ada, bob] = [
      (await signedIn(scene)).collection('items'),
      (await signedInToo(scene, 'Bob')).collection('items'),
    ];
    const { id, roles } = await ada.create({ title: 'Drill' });
    same(roles, ['owner']);
    const requested = await bob.request?.(id);
    same([requested?.state, requested?.roles], ['requested', ['borrower']]);
    same((await refused(bob.act(id, 'lend', { due: '2026-12-24' }), scene.client)).status, 403);
    for (const input of [{}, { due: 'soon' }, { due: '2026-12-24', title: 'Saw' }])
      same((await refused(ada.act(id, 'lend', input), scene.client)).code, 'validation_failed');
    const lent = await ada.lend?.(id, { due: '2026-12-24' }, { ifMatch: requested });
    same([lent?.state, lent?.due], ['lent', '2026-12-24']);
    const late = ada.act(id, 'lend', { due: '2026-12-25' }, { ifMatch: requested });
    same((await refused(late, scene.client)).code, 'precondition_failed');
    const borrowed = (await all(bob.list({ role: 'borrower' }))).map((item) => item.id);
    same(borrowed, [id]);
    const members = (await all(bob.members(id))).map(({ role, is_me }) => `${role} ${is_me}`);
    same(members, ['owner false', 'borrower true']);
    await bob.bring_back?.(id, { ifMatch: '*' });
    same((await ada.replace(id, { title: 'Old drill', due: '2026-12-24' })).title, 'Old drill');
    same((await ada.act(id, 'take_back', {}, { deadlineSeconds: 9 })).due, undefined);
  },

  'leave() succeeds although its answer is lost': async (scene) => {
    const [adas, bob] = [(await signedIn(scene)).collection('lists'), await signedInToo(scene, 'Bob')];
    const { id } = await adas.create({ text: 'milk' });
    await bob.accept((await adas.invite(id, { role: 'member' })).code);
    await scene.stage.arrange({ on: `DELETE ${api}/lists/${id}/members/me`, what: 'after' });
    same(await bob.collection('lists').leave(id), undefined);
  },

  'invitations, role changes, removal of members and hand-over work': async (scene) => {
    const [ada, bob, eve] = [
      await signedIn(scene),
      await signedInToo(scene, 'Bob'),
      await signedInToo(scene, 'Eve'),
    ];
    const [adas, bobs] = [ada.collection('lists'), bob.collection('lists')];
    const { id } = await adas.create({ text: 'milk' });
    const { code, ...made } = await adas.invite(id, { role: 'member', uses: 2, expires_in: '1h' });
    same([made.role, made.uses], ['member', 2]);
    const left = (await adas.invitations(id)).map((one) => [one.id, one.uses_left]);
    same(left, [[made.id, 2]]);
    const joined = await bob.accept(code);
    same([joined.collection, joined.role, joined.record.id], ['lists', 'member', id]);
    same((await refused(bob.accept(code), scene.client)).code, 'already_member');
    same((await bobs.update(id, ({ text }) => ({ text: `${text}, bread` }))).text, 'milk, bread');
    same((await refused(bobs.invite(id, { role: 'admin' }), scene.client)).code, 'role_required');

    const aliasOf = async (wanted: string) => {
      const members = await all(adas.members(id));
      return members.find(({ role }) => role === wanted)?.alias ?? '';
    };
    await adas.endInvitation(id, made.id);
    same((await refused(eve.accept(code), scene.client)).code, 'invitation_invalid');
    await adas.changeMember(id, await aliasOf('member'), { role: 'admin' });
    same((await bobs.get(id)).roles, ['admin']);

    same(await bobs.leave(id), undefined);
    same((await refused(bobs.get(id), scene.client)).code, 'not_found');

    await eve.accept((await adas.invite(id, { role: 'member' })).code);
    await adas.removeMember(id, await aliasOf('member'));
    same((await refused(eve.collection('lists').get(id), scene.client)).status, 404);
    await eve.accept((await adas.invite(id, { role: 'owner' })).code);
    same((await adas.get(id)).roles, ['member']);
    for (const wrong of ['', '..'])
      check(
        (await adas.removeMember(id, wrong).catch((error) => error)) instanceof TypeError,
        `"${wrong}" is taken for an alias`,
      );
  },

  'live lists of public and of shared records follow changes by other people': async (scene) => {
    const [ada, bob] = [await signedIn(scene), await signedInToo(scene, 'Bob')];
    const things = bob.collection('items').live();
    const lists = bob.collection('lists').live();
    const stateOf = (id: string) => things.items?.find((item) => item.id === id)?.state;
    using _ = ended(things, lists);
    await until(() => things.status === 'live' && lists.status === 'live', 'they do not get live');
    const { id } = await ada.collection('items').create({ title: 'Drill' });
    await until(() => stateOf(id) === 'available', 'a new record of somebody else is not seen');
    await (await signedInToo(scene, 'Eve')).collection('items').request?.(id);
    await until(() => stateOf(id) === 'requested', 'what others do with it is not seen');
    bob.events.pause();
    same(things.status, 'off', 'it does not rest');
    await ada.collection('items').lend?.(id, { due: '2026-12-24' });
    bob.events.resume();
    await until(() => stateOf(id) === 'lent', 'it does not go on');

    const shared = ada.collection('lists');
    const list = await shared.create({ text: 'milk' });
    await bob.accept((await shared.invite(list.id, { role: 'member' })).code);
    await until(() => texts(lists.items)?.join() === 'milk', 'a shared list does not come');
    await shared.update(list.id, { text: 'bread' });
    await until(() => texts(lists.items)?.join() === 'bread', 'a change of it is not seen');
    await bob.collection('lists').leave(list.id);
    await until(() => lists.items?.length === 0, 'it is still there');
  },

  'a live list under a public record follows changes by other people': async (scene) => {
    const [ada, bob] = [await signedIn(scene), await signedInToo(scene, 'Bob')];
    const [issue, other] = [
      await ada.collection('issues').create({ title: 'It is slow' }),
      await ada.collection('issues').create({ title: 'It is loud' }),
    ];
    const heard: string[] = [];
    const unlisten = bob.events.of({ collections: ['comments'], in: [`issues/${issue.id}`] }).listen({
      after: null,
      hear: ({ data }) => heard.push(data.id),
      missed: () => heard.push('missed'),
    });
    const live = bob.collection('comments').live({ issue: issue.id });
    using _ = ended(live, unlisten);
    await until(() => live.status === 'live' && heard.join() === 'missed', 'it does not get live');
    const comments = ada.collection('comments');
    await comments.create({ issue: other.id, text: 'no' });
    const { id } = await comments.create({ issue: issue.id, text: 'yes' });
    await until(() => texts(live.items)?.join() === 'yes', 'a comment of somebody else is not seen');
    await until(() => heard.length === 2, 'it is not heard');
    same(heard, ['missed', id]);
    await comments.remove(id);
    await until(() => live.items?.length === 0, 'a deleted comment is still there');
  },

  'closed live lists under many public records leave no stream behind': async (scene) => {
    const service = await signedIn(scene);
    const [issues, comments] = [service.collection('issues'), service.collection('comments')];
    const decode = globalThis.atob;
    const decodings = async () => {
      let count = 0;
      globalThis.atob = (text) => {
        count += 1;
        return decode(text);
      };
      await service.me().finally(() => {
        globalThis.atob = decode;
      });
      return count;
    };
    const before = await decodings();
    for (let opened = 0; opened < 20; opened += 1) {
      const { id } = await issues.create({ title: `${opened}` });
      const live = comments.live({ issue: id });
      await until(() => live.status === 'connecting' || live.status === 'live', 'it does not begin');
      live.close();
    }
    await pause(0);
    same(await decodings(), before, 'streams without listeners still read each token');
  },

  'a named stream without listeners follows the pause again with the next listener': async (scene) => {
    const service = await signedIn(scene);
    const named = service.events.of('items');
    const listen = () => named.listen({ after: null, hear() {}, missed() {} });
    const becomes = (status: string) => until(() => named.status === status, `it does not become ${status}`);
    listen()();
    await becomes('off');
    service.events.pause();
    const unlisten = listen();
    same(named.status, 'off', 'it does not pause');
    unlisten();
    await pause(0);
    service.events.resume();
    const end = listen();
    using _ = ended(end);
    await becomes('live');
    same(service.events.of('items').status, 'live', 'a second stream is opened');
    service.events.pause();
    same(named.status, 'off', 'the pause does not reach it');
  },
};
