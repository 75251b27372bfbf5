import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { insertAll } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newRecord } from '../support/databases/records.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

const roomy = 'limits: { writes: 10000/min }';
const declarations = {
  notes: `
schema:
  required: [title, size]
  properties:
    title: { type: string, maxLength: 200 }
    tags: { type: array, maxItems: 5, items: { type: string, maxLength: 80 } }
    hidden: { type: string, maxLength: 80 }
    size: { type: integer }
index: [size]
states: { open: { close: closed }, closed: {} }
search: [title, tags]
access: { clients: any }
${roomy}
`,
  posts: `
schema: { required: [text], properties: { text: { type: string, maxLength: 200 } } }
access: { read: everyone }
search: [text]
${roomy}
`,
  rooms: `
schema: { properties: { title: { type: string, maxLength: 80 } } }
roles: { member: { invited_by: owner } }
access: { read: [owner, member] }
search: [title]
${roomy}
`,
  lines: `
parent: { field: room, collection: rooms }
schema: { required: [text], properties: { text: { type: string, maxLength: 80 } } }
roles: { member: { parent_roles: [owner, member] }, reader: { max_per_user: 100 } }
access: { read: { owner: all, member: [open], reader: [taken] } }
states: { open: { take: { to: taken, by: member, grants: reader } }, taken: { drop: { to: open, by: owner, revokes: reader } } }
search: [text]
${roomy}
`,
  plain: `schema: { properties: { text: { type: string, maxLength: 80 } } }\n`,
};

const q = (words: string) => `q=${encodeURIComponent(words)}`;

for (const engine of databaseEngines)
  describe(`search with ?q=, on ${engine}`, () => {
    const target = deployment({ engine, declarations, clients: { desk: [] } });
    let [ada, bob, eve] = [] as unknown as [Person, Person, Person];
    before(async () => {
      [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
    });
    const titles = async (person: Person, path: string): Promise<string[]> => {
      const { status, body, reply } = await person.get(path);
      assert.equal(status, 200, `${path} ${reply.text}`);
      return body.items.map(({ title, text }: { title?: string; text?: string }) => title ?? text);
    };

    it('finds records with all words, newest first, combined with filters, counts and paging', async () => {
      const person = await Person.of(target());
      for (const [size, title] of ['Milk', 'fresh MILK', 'Bread', 'Milky bréad', 'smilk'].entries())
        await person.make('notes', { title, size, hidden: 'milk' });
      await person.make('notes', { title: 'tagged', size: 9, tags: ['x', 'oat milk'] });
      const find = (query: string) => titles(person, `notes?${query}`);
      assert.deepEqual(await find(q('milk')), ['tagged', 'Milky bréad', 'fresh MILK', 'Milk']);
      assert.deepEqual(await find(q('bread mil')), ['Milky bréad']);
      assert.deepEqual(await find(`${q('milk')}&size[lt]=2&sort=-created_at`), ['fresh MILK', 'Milk']);
      assert.deepEqual(await find(`${q('milk')}&state=closed`), []);
      assert.deepEqual((await person.get(`notes/count?${q('milk')}`)).body, { count: 4 });
      assert.deepEqual((await person.get(`notes/count?${q('milk')}&size=1`)).body, { count: 1 });
      const pages: string[][] = [];
      let cursor = '';
      do {
        const { body } = await person.get(`notes?${q('milk')}&limit=3${cursor}`);
        pages.push(body.items.map(({ title }: { title: string }) => title));
        cursor = body.next === null ? '' : `&cursor=${body.next}`;
      } while (cursor !== '');
      assert.deepEqual(pages, [['tagged', 'Milky bréad', 'fresh MILK'], ['Milk']]);
      const first = (await person.get(`notes?${q('milk')}&limit=3`)).body.next;
      for (const other of [q('bread'), 'limit=3', `${q('milk')}&state=open`])
        assert.equal((await person.get(`notes?${other}&cursor=${first}`)).body.code, 'cursor_invalid', other);
    });

    it('[30] search and count find nothing that the caller cannot read', async () => {
      const words = ['secret', 'secrets'];
      await ada.make('notes', { title: words.join(' '), size: 1 });
      await ada.make('posts', { text: 'secret' });
      const room = await ada.make('rooms', { title: 'secret' });
      await ada.invites(`rooms/${room}`, 'member', bob);
      const line = await ada.make('lines', { room, text: 'secret line' });
      for (const path of [
        ...['notes', 'posts?mine=true', 'rooms', 'rooms?role=member', 'lines', 'lines?mine=true'],
        'lines?role=reader',
      ]) {
        const query = `${path.includes('?') ? path.replace('?', '?X&') : `${path}?X`}`;
        for (const word of words) {
          assert.deepEqual(await titles(eve, query.replace('X', q(word))), [], path);
          const counted = query.replace('X', q(word)).replace('?', '/count?');
          assert.deepEqual((await eve.get(counted)).body, { count: 0 }, counted);
        }
      }
      for (const path of [`lines?room=${room}&${q('secret')}`, `lines/count?room=${room}&${q('secret')}`])
        assert.equal((await eve.get(path)).status, 404, path);
      assert.deepEqual(await titles(bob, `lines?room=${room}&${q('secret')}`), ['secret line']);
      assert.deepEqual((await bob.get(`lines/count?room=${room}&${q('secret')}`)).body, { count: 1 });
      assert.deepEqual(await titles(bob, `rooms?${q('secret')}`), ['secret']);
      // A member that leaves the room loses its roles by action there, in lists and counts.
      assert.equal((await bob.post(`lines/${line}/take`)).status, 200);
      const count = async (query: string) => (await bob.get(`lines/count?${query}`)).body;
      assert.deepEqual(
        [await titles(bob, `lines?${q('secret')}`), await count(q('secret')), await count('')],
        [['secret line'], { count: 1 }, { count: 1 }],
      );
      assert.equal((await bob.delete(`rooms/${room}/members/me`)).status, 204);
      assert.deepEqual(
        [await titles(bob, `lines?${q('secret')}`), await count(q('secret')), await count('')],
        [[], { count: 0 }, { count: 0 }],
      );
      assert.deepEqual(await titles(ada, `lines?${q('secret')}`), ['secret line']);
    });

    it('[30] wildcards, quotes and combining marks are literal or ignored, and unusable words are 400', async () => {
      const person = await Person.of(target());
      for (const title of ['abc', 'a%c', 'a_c', 'cafe\u0301', "x' or '1'='1"])
        await person.make('notes', { title, size: 1 });
      const find = (words: string) => titles(person, `notes?${q(words)}`);
      assert.deepEqual(await find('ab%'), ['abc']);
      for (const words of ['a%c', 'a_c', 'a*c'])
        assert.deepEqual((await find(words)).toSorted(), ['a%c', 'a_c'], words);
      assert.deepEqual(await find("' or '1'='1"), ["x' or '1'='1"]);
      assert.deepEqual(await find('caf\u00e9'), ['cafe\u0301']);
      assert.deepEqual(await find(`cafe${'\u0301'.repeat(500)}`), ['cafe\u0301']);
      const refused = [
        ...['', ' ', 'a', '%', '_', '*', '"', "'", '\u0301', '\0', 'a'.repeat(41), 'x'.repeat(10_000), 'a b'],
        ...['aa bb cc dd ee', 'a-b-c-d-e-f-g-h-i', `milk${' '.repeat(997)}`],
      ];
      for (const words of refused)
        for (const path of ['notes', 'notes/count']) {
          const { status, body } = await person.get(`${path}?${q(words)}`);
          const [what, parameter] = [words.slice(0, 20), body.parameter];
          assert.deepEqual([status, body.code, parameter], [400, 'query_invalid', 'q'], what);
        }
      assert.equal((await person.get(`notes?${q('aa')}&${q('bb')}`)).status, 400);
    });

    it('is 400 in a list of all records, with another order, and without a declared "search"', async () => {
      const machine = new Person(await target().machine('desk'));
      for (const [person, path, parameter] of [
        [ada, `posts?${q('text')}`, 'q'],
        [machine, `notes?${q('text')}`, 'q'],
        [ada, `plain?${q('text')}`, 'q'],
        [ada, `notes?${q('text')}&sort=size`, 'sort'],
        [ada, `notes?${q('text')}&sort=created_at`, 'sort'],
      ] as const) {
        const { status, body } = await person.get(path);
        assert.deepEqual([status, body.code, body.parameter], [400, 'query_invalid', parameter], path);
      }
    });

    it('examines at most 2,000 records per page and count, and the cursor continues', async () => {
      const person = await Person.of(target());
      const storage = await plainSql(target().service.settings).open();
      const owner = String((await person.get('me')).body.id);
      const title = (index: number) => (index === 3 ? 'needle' : `straw ${index}`);
      const records = Array.from({ length: 2_500 }, (_, index) =>
        newRecord({
          collection: 'notes',
          owner,
          state: 'open',
          createdAt: index,
          fields: { title: title(index), size: index % 2 },
        }),
      );
      await insertAll(storage, records);
      await storage.close();
      const first = (await person.get(`notes?${q('needle')}`)).body;
      assert.deepEqual(first.items, []);
      const second = (await person.get(`notes?${q('needle')}&cursor=${first.next}`)).body;
      assert.deepEqual([second.items.length, second.items[0]?.title, second.next], [1, 'needle', null]);
      const count = async (query: string) => (await person.get(`notes/count?${query}`)).body;
      assert.deepEqual(await count(''), { at_least: 2_000 });
      assert.deepEqual(await count(q('straw')), { at_least: 2_000 });
      assert.deepEqual(await count('size=0'), { at_least: 1_000 });
      assert.deepEqual(await count('created_at[lt]=1970-01-01T00:00:01Z'), { count: 1_000 });
      assert.deepEqual(await count('created_at[lt]=1970-01-01T00:00:02Z'), { count: 2_000 });
      assert.deepEqual((await person.caller.all('notes', `&${q('straw')}`)).length, 2_499);
    });

    it('searchable fields are declared in the overview', async () => {
      const { collections } = (await ada.caller.get('')).json<{ collections: Record<string, unknown>[] }>();
      const declared = Object.fromEntries(collections.map(({ name, search }) => [name, search]));
      assert.deepEqual([declared.notes, declared.plain], [['title', 'tags'], undefined]);
    });
  });
