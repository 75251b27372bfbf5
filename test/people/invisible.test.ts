import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRecordId } from '../../src/base/random.ts';
import { bytesOf } from '../support/http/answers.ts';
import type { Reply } from '../support/http/request.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

interface Attempt {
  readonly method: string;
  /** Behind the id. */
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const alias = `per_${'A'.repeat(22)}`;
const invitation = createRecordId(Date.UTC(2026, 0, 1));

const ofEveryRecord = (fields: object): readonly Attempt[] => [
  { method: 'GET' },
  { method: 'HEAD' },
  { method: 'PUT', body: fields },
  { method: 'PUT', body: fields, headers: { 'if-none-match': '*' } },
  { method: 'PATCH', body: fields },
  { method: 'PATCH', body: {} },
  { method: 'DELETE' },
];

const ofMembers: readonly Attempt[] = [
  { method: 'GET', path: '/members' },
  { method: 'PATCH', path: `/members/${alias}`, body: { role: 'member' } },
  { method: 'DELETE', path: `/members/${alias}` },
  { method: 'DELETE', path: '/members/me' },
  { method: 'POST', path: '/invitations', body: { role: 'owner' } },
  { method: 'POST', path: '/invitations', body: { role: 'member', uses: 0 } },
  { method: 'GET', path: '/invitations' },
  { method: 'DELETE', path: `/invitations/${invitation}` },
];

const actions = (...names: readonly string[]): readonly Attempt[] =>
  names.flatMap((name) => [
    { method: 'POST', path: `/${name}` },
    { method: 'POST', path: `/${name}`, body: { grade: 2, reason: 'Because.' } },
  ]);

/** By collection: everything that a stranger could try on one of its records. */
const attempts: Readonly<Record<string, readonly Attempt[]>> = {
  lists: [...ofEveryRecord({ title: 'Mine' }), ...ofMembers],
  teams: [...ofEveryRecord({ title: 'Mine' }), ...ofMembers],
  papers: [
    ...ofEveryRecord({ text: 'Mine', shelf: 'top' }),
    ...ofMembers,
    { method: 'GET', path: '/history' },
    { method: 'GET', path: '/history?limit=1' },
    ...actions('hand_in', 'take_back', 'return', 'unknown'),
  ],
  issues: [
    ...ofEveryRecord({ title: 'Mine!', area: 'app' }),
    ...actions('plan', 'finish', 'decline', 'label', 'hide', 'show', 'reopen'),
  ],
};

const conditions: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'if-match': '*' },
  { 'if-match': '"AAAAAAAAAAAAAAAA"' },
  { 'if-none-match': '"AAAAAAAAAAAAAAAA"' },
  { 'idempotency-key': 'once' },
  { accept: 'text/html' },
];

for (const engine of databaseEngines)
  describe(`records that the caller cannot see, on ${engine}`, () => {
    const settings = { REFUSALS_PER_MINUTE: '1000000' };
    const target = deployment({ engine, declarations: attackDeclarations, settings });

    /** One record of each collection that only its owner sees. */
    const hiddenRecords = async (): Promise<Readonly<Record<string, string>>> => {
      const ada = await Person.of(target());
      const moderator = await Person.of(target(), { scope: 'read write issues.moderate' });
      const issue = await ada.make('issues', { title: 'Hidden', area: 'app' });
      assert.equal((await moderator.post(`issues/${issue}/hide`)).status, 200);
      return {
        lists: await ada.make('lists', { title: 'Ours' }),
        teams: await ada.make('teams', { title: 'Ours' }),
        papers: await ada.make('papers', { text: 'Draft', shelf: 'top' }),
        issues: issue,
      };
    };

    const send = ({ caller }: Person, collection: string, id: string, attempt: Attempt): Promise<Reply> =>
      caller.send(attempt.method, `/${collection}/${id}${attempt.path ?? ''}`, attempt.body, attempt.headers);

    it('every request for an invisible record gets the same bytes and cost as for a missing one', async () => {
      const hidden = await hiddenRecords();
      const eve = await Person.of(target());
      const left = ({ headers }: Reply) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
      await target().nextWindow(60_000);
      const stranger = await Person.of(target());
      assert.equal((await stranger.get('lists')).status, 200);
      for (const [collection, all] of Object.entries(attempts))
        for (const attempt of all) {
          const what = `${attempt.method} ${collection} ${attempt.path ?? ''} ${JSON.stringify(attempt.headers)}`;
          const before = left((await stranger.get('lists')).reply);
          const invisible = await send(stranger, collection, String(hidden[collection]), attempt);
          const missing = await send(stranger, collection, createRecordId(Date.now()), attempt);
          assert.deepEqual(bytesOf(invisible), bytesOf(missing), what);
          assert.ok([404, 405, 422].includes(invisible.status), `${what} ${invisible.status}`);
          // A route that does not exist costs nothing, and neither does a body that is refused unread.
          const price = left(missing) - left(invisible);
          if (!Number.isNaN(price))
            assert.deepEqual([left(invisible), left(missing)], [before - 1, before - 2], what);
          else assert.ok(Number.isNaN(left(invisible)) && Number.isNaN(left(missing)), what);
        }
      assert.deepEqual((await eve.get('lists')).body.items, []);
    });

    it('1,000 random pairs of missing and invisible records get identical answers', async () => {
      const pairs = engine === 'sqlite' ? 700 : 300;
      const random = new PseudoRandom(33);
      const hidden = await hiddenRecords();
      const eve = await Person.of(target());
      const pair = async () => {
        const collection = random.pick(Object.keys(attempts));
        const chosen = random.pick(attempts[collection] ?? []);
        const attempt = { ...chosen, headers: { ...random.pick(conditions), ...chosen.headers } };
        const missing = createRecordId(Date.now() - random.below(1e9));
        // Either first: the order must not matter.
        const ids = [String(hidden[collection]), missing];
        if (random.below(2) === 0) ids.reverse();
        const [one, other] = await Promise.all(ids.map((id) => send(eve, collection, id, attempt)));
        const what = JSON.stringify([collection, attempt]);
        assert.deepEqual(bytesOf(one as Reply), bytesOf(other as Reply), what);
        assert.ok(!(one as Reply).text.includes(String(hidden[collection])), what);
      };
      for (let done = 0; done < pairs; done += 10) await Promise.all(Array.from({ length: 10 }, pair));
    });

    it('a record in a state that the role cannot read appears in no list, count or request', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const id = await ada.make('papers', { text: 'Draft', shelf: 'top' });
      await ada.invites(`papers/${id}`, 'reviewer', bob);
      const queries = [
        ...['', 'role=reviewer', 'role=reviewer&state=draft', 'state=draft', 'shelf=top', 'mine=true'],
        'created_at[gt]=2020-01-01T00:00:00Z',
      ];
      const isHidden = async () => {
        for (const query of queries) {
          const { status, body } = await bob.get(`papers?${query}`);
          assert.deepEqual([status, body.items, body.next], [200, [], null], query);
        }
        for (const asked of ['GET ', 'HEAD ', 'GET /members', 'GET /history', 'POST /return']) {
          const [method = '', path = ''] = asked.split(' ');
          assert.equal((await bob.caller.send(method, `/papers/${id}${path}`)).status, 404, asked);
        }
        const etag = (await ada.get(`papers/${id}`)).reply.headers.get('etag') ?? '"AAAAAAAAAAAAAAAA"';
        for (const name of ['if-none-match', 'if-match'])
          assert.equal((await bob.caller.get(`/papers/${id}`, { [name]: etag })).status, 404, name);
        assert.equal((await bob.get('me/usage')).body.collections.length > 0, true);
        assert.equal((await bob.caller.usage('papers')).records.used, 0);
      };
      await isHidden();
      assert.equal((await ada.post(`papers/${id}/hand_in`)).status, 200);
      assert.equal((await bob.get(`papers/${id}`)).body.text, 'Draft');
      assert.equal((await bob.get('papers')).body.items.length, 1);
      assert.equal((await ada.post(`papers/${id}/take_back`)).status, 200);
      await isHidden();
    });

    it('a public list does not show, count or filter by hidden records', async () => {
      const { issues: id } = await hiddenRecords();
      const eve = await Person.of(target());
      for (const path of ['issues', 'issues?area=app', 'issues?sort=area', 'issues?limit=200'])
        assert.ok(!(await eve.get(path)).reply.text.includes(String(id)), path);
      assert.equal((await eve.get('issues?state=hidden')).status, 400);
      assert.deepEqual((await eve.get('issues?state=hidden&mine=true')).body.items, []);
    });

    it('an owner cannot read a forbidden state, not even by repeating the create', async () => {
      const ada = await Person.of(target());
      const judge = await Person.of(target(), { scope: 'read write issues.moderate' });
      const key = { 'idempotency-key': 'report' };
      const create = () => ada.caller.send('POST', '/reports', { text: 'Spam' }, key);
      const { id } = (await create()).json<{ id: string }>();
      assert.equal((await create()).headers.get('idempotency-replayed'), 'true');
      assert.equal((await judge.post(`reports/${id}/judge`, { verdict: 'Nonsense' })).status, 200);
      assert.equal((await ada.get(`reports/${id}`)).status, 404);
      assert.deepEqual((await ada.get('reports?mine=true')).body.items, []);
      const repeated = await create();
      assert.ok(!repeated.text.includes('Nonsense'), repeated.text);
      assert.equal(repeated.status, 409);
    });

    it('accepting an invitation shows no record in a state that the role cannot read', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const id = await ada.make('papers', { text: 'Unfinished thoughts', shelf: 'top' });
      const code = await ada.codeFor(`papers/${id}`, { role: 'reviewer' });
      const { status, body, reply } = await bob.post('invitations', { code });
      assert.deepEqual([status, body.role], [200, 'reviewer']);
      assert.ok(!reply.text.includes('Unfinished'), reply.text);
    });
  });
