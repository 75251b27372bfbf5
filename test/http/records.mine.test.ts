import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertProblem, assertProblemWith } from '../support/http/answers.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';
import { idsOf, type Page } from './page.ts';

const rest = `schema:
  required: [word, size]
  properties: { word: { type: string, maxLength: 20 }, size: { type: integer } }
index: [word, size]
states: { shown: { hide: hidden }, hidden: { show: shown } }
limits: { per_user: 1000, writes: 100000/min }`;
const declarations = {
  /** Everyone can read all records. */
  posts: `${rest}\naccess: { read: everyone }`,
  /** Machine clients can read all records. */
  orders: `${rest}\naccess: { clients: any }`,
  /** Callers can read their own records only. */
  diaries: rest,
};
const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
for (const engine of databaseEngines)
  describe(`lists with "mine=true", on ${engine}`, () => {
    const declared = deployment({ engine, declarations, clients: { desk: [] } });
    let person: ApiCaller;
    let stranger: ApiCaller;
    let machine: ApiCaller;
    /** The records by owner, oldest first. */
    const made = new Map<ApiCaller, Record<string, WireRecord[]>>();

    before(async () => {
      person = await declared().person();
      stranger = await declared().person();
      machine = await declared().machine('desk');
      for (const caller of [person, stranger, machine]) made.set(caller, {});
      for (const [index, word] of words.entries())
        for (const [caller, own] of made)
          for (const collection of Object.keys(declarations)) {
            if (caller === machine && collection !== 'orders') continue;
            const { record } = await caller.make(collection, { word, size: index % 3 });
            const isHidden = index % 2 === 1;
            if (isHidden)
              assert.equal((await caller.send('POST', `/${collection}/${record.id}/hide`)).status, 200);
            own[collection] = [
              ...(own[collection] ?? []),
              { ...record, state: isHidden ? 'hidden' : 'shown' },
            ];
          }
    });

    const ownOf = (caller: ApiCaller, collection: string) => made.get(caller)?.[collection] ?? [];
    const list = async (caller: ApiCaller, path: string): Promise<Page> => {
      const reply = await caller.get(path);
      assert.equal(reply.status, 200, `${path} ${reply.text}`);
      return reply.json<Page>();
    };

    it("returns only the caller's own records, newest first", async () => {
      const everybodys = await person.all('posts');
      assert.equal(everybodys.length, 2 * words.length, 'control: the list without it is of everybody');
      for (const caller of [person, stranger])
        assert.deepEqual(
          idsOf(await caller.all('posts', '&mine=true')),
          idsOf(ownOf(caller, 'posts')).reverse(),
        );

      assert.equal((await machine.all('orders')).length, 3 * words.length, 'control');
      assert.deepEqual(
        idsOf(await machine.all('orders', '&mine=true')),
        idsOf(ownOf(machine, 'orders')).reverse(),
      );
      const newcomer = await declared().person();
      assert.deepEqual(await list(newcomer, '/posts?mine=true'), { items: [], next: null });
    });

    it('gives the same list with and without "mine" where others\' records are never visible', async () => {
      for (const [caller, collection] of [
        [person, 'diaries'],
        [stranger, 'orders'],
      ] as const)
        assert.deepEqual(
          await list(caller, `/${collection}?mine=true`),
          await list(caller, `/${collection}`),
          collection,
        );
    });

    it('accepts all filters, states and orders together, unlike a list of all records', async () => {
      const query = 'state=shown&size=0&sort=-word';
      assertProblemWith(await person.get(`/posts?${query}`), 'query_invalid', {
        parameter: 'state',
        detail: String((await person.get(`/posts?${query}`)).json<{ detail: string }>().detail),
      });
      const expected = ownOf(person, 'posts').filter(({ state, size }) => state === 'shown' && size === 0);
      assert.ok(expected.length > 1, 'control');
      assert.deepEqual(
        idsOf((await list(person, `/posts?mine=true&${query}`)).items),
        idsOf(expected).reverse(),
      );
      const range = await list(machine, '/orders?word[gte]=b&word[lt]=e&mine=true&sort=size');
      const sizes = ownOf(machine, 'orders')
        .filter(({ word }) => String(word) >= 'b' && String(word) < 'e')
        .map(({ size }) => size);
      const found = range.items.map(({ size }) => size);
      assert.deepEqual(found, sizes.toSorted());
    });

    it('stays newest first when filtered by a field', async () => {
      const { items } = await list(person, '/posts?mine=true&size[gte]=0');
      assert.deepEqual(idsOf(items), idsOf(ownOf(person, 'posts')).reverse());
    });

    it('is paged by the Link header to the end, in every order', async () => {
      const queries = ['', '&sort=word', '&sort=-size', '&state=shown', '&size[lte]=1&sort=-created_at'];
      for (const query of queries) {
        const seen: WireRecord[] = [];
        for (let path: string | null = `/posts?limit=2&mine=true${query}`; path !== null; ) {
          const reply = await person.get(path);
          assert.equal(reply.status, 200, reply.text);
          seen.push(...reply.json<Page>().items);
          const link = reply.headers.get('link');
          path =
            link === null
              ? null
              : (/^<\/api\/consumer\/v1(\/posts\?[^>]*\bmine=true\b[^>]*)>/.exec(link)?.[1] ??
                assert.fail(link));
        }
        assert.deepEqual(idsOf(seen), idsOf(await person.all('posts', `&mine=true${query}`)), query);
        assert.ok(
          seen.every(({ id }) => idsOf(ownOf(person, 'posts')).includes(id)),
          query,
        );
      }
    });

    it('cursors work only for the same caller, collection and "mine"', async () => {
      const mine = await list(person, '/posts?limit=2&mine=true');
      const everybodys = await list(person, '/posts?limit=2');
      const refused = async (caller: ApiCaller, path: string) =>
        assertProblem(await caller.get(path), 'cursor_invalid', path);
      await refused(person, `/posts?limit=2&cursor=${mine.next}`);
      await refused(person, `/posts?limit=2&mine=true&cursor=${everybodys.next}`);
      await refused(stranger, `/posts?limit=2&mine=true&cursor=${mine.next}`);
      await refused(person, `/orders?limit=2&mine=true&cursor=${mine.next}`);
      assert.equal((await list(person, `/posts?mine=true&limit=2&cursor=${mine.next}`)).items.length, 2);
    });

    it('any other value or form of "mine", and any "owner" filter, is 400', async () => {
      const other = String((await stranger.get('/me')).json<{ id: string }>().id);
      const values = [
        'false',
        '',
        '1',
        'TRUE',
        'True',
        ' true',
        'true,true',
        'null',
        other,
        "true' or 1=1--",
      ];
      for (const collection of Object.keys(declarations)) {
        for (const value of values) {
          const path = `/${collection}?mine=${encodeURIComponent(value)}`;
          assertProblemWith(await person.get(path), 'query_invalid', { parameter: 'mine' }, path);
        }
        for (const [query, parameter] of [
          ['mine=true&mine=true', 'mine'],
          ['mine[eq]=true', 'mine[eq]'],
          ['Mine=true', 'Mine'],
          ['sort=mine', 'sort'],
          [`owner=${other}`, 'owner'],
          [`mine=true&owner=${other}`, 'owner'],
        ] as const) {
          const path = `/${collection}?${query}`;
          assertProblemWith(await person.get(path), 'query_invalid', { parameter }, path);
        }
      }
    });

    it('page and headers do not change when others create records', async () => {
      const look = async () => {
        const reply = await person.get('/posts?mine=true&limit=200');
        const {
          date,
          'x-request-id': id,
          ratelimit,
          'events-position': at,
          ...headers
        } = Object.fromEntries(reply.headers);
        return { headers, text: reply.text };
      };
      const before = await look();
      const another = await declared().person();
      for (const word of words) await another.make('posts', { word, size: 1 });
      assert.deepEqual(await look(), before);
      const theirs = new Set([...made.entries()].flatMap(([, own]) => idsOf(own.posts ?? [])));
      for (const id of idsOf(ownOf(person, 'posts'))) theirs.delete(id);
      for (const id of theirs) assert.ok(!before.text.includes(id));
    });

    it('needs an admitted token with a subject', async () => {
      assertProblem(await machine.get('/posts?mine=true'), 'client_not_admitted');
      const nobody = await declared().person({ sub: undefined });
      assertRefused(await nobody.get('/posts?mine=true'), 'subject_required', nobody.token);
    });
  });
