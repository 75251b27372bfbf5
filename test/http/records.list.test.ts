import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { oddTexts } from '../support/databases/records.ts';
import { assertProblem, assertProblemWith } from '../support/http/answers.ts';
import type { ApiCaller, WireRecord } from '../support/http/api-caller.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';
import { idsOf, type Page } from './page.ts';

const shortTexts = oddTexts.filter((text) => text.length <= 500);
const labels = [...shortTexts, 'a%b', 'a_b', 'axb', 'Z', 'z', '\uffff', '\u{10000}'];
const weights = [0, -1.5, 0.1, 1e-7, 2, 10, 123456.789, -1_000_000];
const places = [-3, 0, 1, 1, 2, 1000];
const dues = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T01:30:00+02:00',
  '2025-12-31T23:59:59.999Z',
  '2100-06-01T12:00:00Z',
];

/** One task for each label, with few values in the other fields, so that there are ties. */
const tasks = labels.map((label, index) => ({
  label,
  weight: weights[index % weights.length],
  place: places[index % places.length],
  done: index % 3 === 0,
  due: dues[index % dues.length],
}));

/** Texts are ordered by bytes on every database. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
}

function sorted(records: readonly WireRecord[], field: string, descending: boolean): WireRecord[] {
  const inOrder = records.toSorted((a, b) => compare(a[field], b[field]) || compare(a.id, b.id));
  return descending ? inOrder.reverse() : inOrder;
}

const fields = ['label', 'weight', 'place', 'done', 'due', 'created_at'];

for (const engine of databaseEngines)
  describe(`lists, on ${engine}`, () => {
    const declared = deployment({ engine, declarations: sampleDeclarations });
    let person: ApiCaller;
    let all: readonly WireRecord[];
    const list = async (query: string, caller = person): Promise<Page> => {
      const reply = await caller.get(`/tasks${query}`);
      assert.equal(reply.status, 200, `${query} ${reply.text}`);
      return reply.json<Page>();
    };
    /** All pages, reached by the Link header only. */
    const follow = async (query: string): Promise<WireRecord[][]> => {
      const pages: WireRecord[][] = [];
      for (let path: string | null = `/api/consumer/v1/tasks?${query}`; path !== null; ) {
        const reply = await person.get(path.replace('/api/consumer/v1', ''));
        assert.equal(reply.status, 200, reply.text);
        const { items, next } = reply.json<Page>();
        pages.push([...items]);
        const link = reply.headers.get('link');
        assert.equal(link === null, next === null, 'both say that there is more');
        path = link === null ? null : (/^<([^<>]+)>; rel="next"$/.exec(link)?.[1] ?? assert.fail(link));
        if (path !== null) assert.equal(new URL(path, person.url).searchParams.get('cursor'), next);
        assert.ok(pages.length < 100, 'there is an end');
      }
      return pages;
    };

    before(async () => {
      person = await declared().person();
      const stranger = await declared().person();
      for (const task of tasks) {
        await person.make('tasks', task);
        if (task.done) await stranger.make('tasks', task);
      }
      all = await person.all('tasks');
      for (const { id, place } of all)
        if (place === 1) assert.equal((await person.send('POST', `/tasks/${id}/close`)).status, 200);
      all = await person.all('tasks');
    });

    it('a caller gets all of its own records and no others, newest first', () => {
      assert.deepEqual(all.map(({ label }) => label).toSorted(), labels.toSorted());
      assert.deepEqual(idsOf(all), idsOf(sorted(all, 'created_at', true)));
    });

    it('lists are sorted by every declared field in both directions, and by id for ties', async () => {
      for (const field of fields)
        for (const descending of [false, true]) {
          const sort = `${descending ? '-' : ''}${field}`;
          const { items } = await list(`?limit=200&sort=${sort}`);
          assert.deepEqual(idsOf(items), idsOf(sorted(all, field, descending)), sort);
        }
    });

    it('paging in both directions with ties repeats and misses nothing', async () => {
      for (const field of fields)
        for (const descending of [false, true]) {
          const sort = `${descending ? '-' : ''}${field}`;
          const pages = await follow(`limit=7&sort=${sort}`);
          assert.deepEqual(idsOf(pages.flat()), idsOf(sorted(all, field, descending)), sort);
          assert.ok(pages.slice(0, -1).every(({ length }) => length === 7));
        }
    });

    it('the Link header keeps filters that need escaping', async () => {
      const label = labels.includes('" or ""="') ? '" or ""="' : 'a%b';
      const query = new URLSearchParams({ 'label[gte]': label, sort: 'label', limit: '5', state: 'open' });
      const expected = sorted(all, 'label', false).filter(
        (task) => compare(task.label, label) >= 0 && task.state === 'open',
      );
      assert.deepEqual(idsOf((await follow(query.toString())).flat()), idsOf(expected));
    });

    it('the default page has 50 records, and the last page has no next link', async () => {
      const other = await declared().person();
      await Promise.all(Array.from({ length: 51 }, () => other.make('notes', { text: 'x' })));
      const first = (await other.get('/notes')).json<Page>();
      assert.equal(first.items.length, 50);
      const second = (await other.get(`/notes?cursor=${first.next}`)).json<Page>();
      assert.deepEqual([second.items.length, second.next], [1, null]);
      const whole = await other.get('/notes?limit=51');
      assert.deepEqual([whole.json<Page>().next, whole.headers.get('link')], [null, null]);
      const none = await (await declared().person()).get('/notes');
      assert.deepEqual(none.json(), { items: [], next: null });
    });

    it('[D123] a text filter matches the exact text only', async () => {
      for (const label of labels) {
        const { items } = await list(`?label=${encodeURIComponent(label)}`);
        const found = items.map((task) => task.label);
        assert.deepEqual(found, [label]);
      }
      for (const label of ['a%', '%%', '__', 'alic_', "' or '1'='1", '*', 'ALICE'])
        assert.deepEqual((await list(`?label=${encodeURIComponent(label)}`)).items, [], label);
    });

    it('every filter operator of every field type matches correctly', async () => {
      const operators: Readonly<Record<string, (order: number) => boolean>> = {
        '': (order) => order === 0,
        '[gt]': (order) => order > 0,
        '[gte]': (order) => order >= 0,
        '[lt]': (order) => order < 0,
        '[lte]': (order) => order <= 0,
      };
      const values: readonly (readonly [field: string, sent: string, meant: unknown])[] = [
        ['label', 'alice', 'alice'],
        ['label', '', ''],
        ['weight', '0.1', 0.1],
        ['weight', '1e-7', 1e-7],
        ['weight', '-1.5', -1.5],
        ['weight', '2.0', 2],
        ['place', '1', 1],
        ['place', '0.5', 0.5],
        ['place', '-0', 0],
        ['done', 'true', true],
        ['done', 'false', false],
        ['due', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
        ['due', '2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.000Z'],
        ['created_at', String(all[5]?.created_at), all[5]?.created_at],
      ];
      for (const [field, sent, meant] of values)
        for (const [operator, fits] of Object.entries(operators)) {
          const query = new URLSearchParams({ [`${field}${operator}`]: sent, limit: '200' });
          const expected = all.filter((task) => fits(compare(task[field], meant)));
          const { items } = await list(`?${query}`);
          assert.deepEqual(idsOf(items), idsOf(expected), query.toString());
        }
    });

    it('several filters combine, with a state and a range', async () => {
      const expected = all.filter(
        (task) =>
          Number(task.weight) >= 0 && Number(task.weight) < 10 && !task.done && task.state === 'closed',
      );
      assert.ok(expected.length > 0, 'control');
      const { items } = await list('?weight[gte]=0&weight[lt]=10&done=false&state=closed');
      assert.deepEqual(idsOf(items), idsOf(expected));
      assert.deepEqual((await list('?place=1&state=open')).items, []);
    });

    it('paging continues after the last record of a page was deleted, and shows new records once', async () => {
      const other = await declared().person();
      const made: string[] = [];
      for (const text of 'abcdef') made.push((await other.make('notes', { text })).record.id);
      const first = (await other.get('/notes?sort=created_at&limit=3')).json<Page>();
      await other.send('DELETE', `/notes/${first.items[2]?.id}`);
      const later = await other.make('notes', { text: 'later' });
      const second = (await other.get(`/notes?sort=created_at&limit=10&cursor=${first.next}`)).json<Page>();
      const seen = [...idsOf(first.items), ...idsOf(second.items)];
      assert.deepEqual(seen.toSorted(), [...made, later.record.id].toSorted());
    });

    it('a cursor can hold the longest sortable texts', async () => {
      const other = await declared().person();
      const task = { weight: 1, place: 1, done: true, due: '2026-01-01T00:00:00Z' };
      const long = ['\u0001', '\u{1f469}', '"', 'é', '<'].map((letter) => letter.repeat(500));
      for (const label of [...long, ...long]) await other.make('tasks', { ...task, label });
      const seen: unknown[] = [];
      for (let query = 'limit=1&sort=label'; query !== ''; ) {
        const { items, next } = await list(`?${query}`, other);
        seen.push(...items.map(({ label }) => label));
        query = next === null ? '' : `limit=1&sort=label&cursor=${next}`;
      }
      assert.deepEqual(seen, [...long, ...long].toSorted(compare));
    });

    it('[D121] [D123] unknown, repeated or invalid parameters are 400 and named', async () => {
      const each = (parameter: string, values: readonly string[]) =>
        values.map((value) => [`${parameter}=${encodeURIComponent(value)}`, parameter] as const);
      const wrong: readonly (readonly [query: string, parameter: string])[] = [
        ...each('limit', ['0', '201', '-1', '1.5', '+5', ' 5', '1e1', 'abc', '', '0x10', '9999']),
        ...each('sort', [
          ...['unknown', 'id', 'owner', 'body', 'state', 'updated_at', 'link', '__proto__', 'constructor'],
          ...[
            '-',
            '--label',
            'label,weight',
            'label desc',
            'Label',
            '$.label',
            "label'",
            '1',
            'label[gte]',
            '',
          ],
          ...['label;drop table records', '(select 1)', 'created_at asc--'],
        ]),
        ...each('state', ['x', 'Open', '', "open' or 1=1--", '__proto__', 'constructor']),
        ...each('weight', ['abc', '', '1e999', 'NaN', 'Infinity', '0x1', '1,5']),
        ...each('weight', ['--1', "1' or '1'='1", '1;', 'null']),
        ...each('done', ['1', '0', 'TRUE', 'yes', '']),
        ...each('due', ['yesterday', '2026-01-01', '', '2026-13-01T00:00:00Z', '1767225600']),
        ...each('due', ['2026-01-01T00:00:00']),
        ...each('created_at', ['yesterday']),
        ...each('label', ['\0', 'a\0b']),
        ...[
          ...['link', 'text', 'owner', 'id', 'Limit', 'access_token', 'state[gte]', 'limit[gte]', ''],
          ...['label[like]', 'label[ne]', 'label[$ne]', 'label[GTE]', 'label[gte][x]', 'label[]', 'label.x'],
          ...['__proto__', '__proto__[x]', 'a[__proto__][x]', 'constructor[prototype][x]'],
        ].flatMap((name) => each(name, ['5'])),
        ["label' or '1'='1=x", "label' or '1'"],
        ['label=a&label=b', 'label'],
        ['limit=5&limit=5', 'limit'],
        ['cursor=a&cursor=b', 'cursor'],
        ['label[gte]=a&label[gte]=b', 'label[gte]'],
      ];
      for (const [query, parameter] of wrong)
        assertProblemWith(await person.get(`/tasks?${query}`), 'query_invalid', { parameter }, query);

      const stateless = await person.get('/notes?state=open');
      assertProblemWith(stateless, 'query_invalid', { parameter: 'state' });
      assert.deepEqual(await person.all('tasks'), all, 'and nothing has happened to anything');
    });

    it('a refused query says which fields, operators and values there are', async () => {
      const rows: readonly (readonly [query: string, detail: RegExp])[] = [
        ['lable=x', /\bsort\b.*\bstate\b.*created_at, label, .*\[gt\], \[gte\], \[lt\] or \[lte\]/],
        ['label[like]=x', /\[gt\], \[gte\]/],
        ['sort=lable', /created_at, label, /],
        ['state=opened', /open/],
        ['limit=500', /1 to 200/],
        ['mine=false', /mine=true/],
        ['done=yes', /true or false/],
        ['weight=heavy', /a number/],
        ['due=tomorrow', /\d{4}-\d\d-\d\dT/],
        ['label=a&label=b', /once/],
      ];
      for (const [query, expected] of rows) {
        const { code, detail } = (await person.get(`/tasks?${query}`)).json();
        assert.equal(code, 'query_invalid', query);
        assert.match(String(detail), expected, query);
      }
      const { detail } = (await person.get('/notes?state=open')).json();
      assert.doesNotMatch(String(detail), /state|role|q/, 'the collection has none of these');
    });

    it('a cursor of another caller, list or query is 400, and so is a forged one', async () => {
      const query = '?limit=2&sort=label&done=false';
      const { next } = await list(query);
      const cursor = String(next);
      assert.equal((await list(`${query}&cursor=${cursor}`)).items.length, 2, 'control');
      const larger = (await list(`${query.replace('2', '3')}&cursor=${cursor}`)).items.length;
      assert.equal(larger, 3, 'another size');
      const again = `?done=false&cursor=${cursor}&sort=label&limit=2`;
      assert.equal((await list(again)).items.length, 2, 'another order of the same parameters');
      const refused = async (caller: ApiCaller, path: string) =>
        assertProblem(await caller.get(path), 'cursor_invalid', path);
      await refused(await declared().person(), `/tasks${query}&cursor=${cursor}`);
      for (const other of [
        ...['?limit=2&sort=label', '?limit=2&sort=-label&done=false', '?limit=2&sort=label&done=true'],
        ...['?limit=2&sort=label&done=false&state=open', '?limit=2&sort=weight&done=false'],
        ...['?limit=2&done=false', '?limit=2&sort=label&done[gte]=false'],
      ])
        await refused(person, `/tasks${other}&cursor=${cursor}`);

      await refused(person, `/notes?cursor=${cursor}`);
      const [place = '', mac = ''] = cursor.split('.');
      const start = JSON.stringify(['', '00000000-0000-4000-8000-000000000000']);
      const forged = Buffer.from(start).toString('base64url');
      for (const changed of [
        ...['', 'x', '.', place, `${place}.`, `.${mac}`, `${place}.${mac}.`, `${place}.${mac}x`],
        ...[`${forged}.${mac}`, `${place.slice(0, -1)}.${mac}`],
        `${place}.${mac[0] === 'A' ? 'B' : 'A'}${mac.slice(1)}`,
        ...[`${place}.${Buffer.alloc(32).toString('base64url')}`, `${place}=.${mac}`, 'x'.repeat(8000)],
        ...["' or 1=1--", '%00'],
      ])
        await refused(person, `/tasks${query}&cursor=${changed}`);
    });

    it("a list of everyone's records is paged to the end", async () => {
      const authors = [await declared().person(), await declared().person()];
      for (let count = 0; count < 5; count += 1)
        for (const author of authors) await author.make('posts', { text: `${count}` });
      const reader = await declared().person();
      const seen: string[] = [];
      for (let query: string | null = '?limit=3'; query !== null; ) {
        const { items, next }: Page = (await reader.get(`/posts${query}`)).json();
        seen.push(...idsOf(items));
        query = next === null ? null : `?limit=3&cursor=${next}`;
      }
      const one = await reader.all('posts');
      assert.deepEqual(seen, idsOf(one));
      assert.equal(new Set(seen).size, 10);
    });
  });
