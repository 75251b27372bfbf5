import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type {
  FieldValue,
  IndexedField,
  RecordQuery,
  RecordStore,
  Storage,
  StoredRecord,
} from '../../src/storage/port.ts';
import { apply, insertAll } from '../support/databases/batches.ts';
import { createTestDatabase, storageKinds } from '../support/databases/databases.ts';
import { newQuery, newRecord, oddTexts } from '../support/databases/records.ts';

const word: IndexedField = { name: 'word', kind: 'text' };
const size: IndexedField = { name: 'size', kind: 'number' };
const open: IndexedField = { name: 'open', kind: 'boolean' };

const texts = oddTexts.map((text) => text.slice(0, 400));
const words = [...texts, '\uffff', '\u{10ffff}', '\ue000', 'z', 'Z', '10', '9'];
const extremes = [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, Number.MAX_SAFE_INTEGER];
const sizes = [
  0,
  1,
  -1,
  0.1,
  -0.1,
  1 / 3,
  0.1 + 0.2,
  ...extremes,
  ...extremes.map((size) => -size),
  1e15 + 0.3,
];

for (const engine of storageKinds) {
  describe(`the storage contract of record lists on ${engine}`, () => {
    let storage: Storage;
    let records: RecordStore;
    before(async () => {
      storage = await createTestDatabase(engine).then((empty) => empty.open());
      ({ records } = storage);
    });
    after(() => storage.close());

    /** A new collection of records with these fields, with all indexes. */
    async function collectionOf(all: readonly Partial<StoredRecord & { fields: Record<string, unknown> }>[]) {
      const collection = `c-${randomUUID()}`;
      await records.prepare([{ name: collection, index: [word, size, open] }]);
      const made = all.map((changes) => newRecord({ collection, ...changes }));
      await insertAll(storage, made);
      return { collection, made };
    }

    describe('sorting', () => {
      const fields = [...words, ...words].map((text, index) => ({
        word: text,
        size: sizes[index % sizes.length],
        open: index % 3 === 0,
      }));
      const orders: Record<
        string,
        { field: RecordQuery['sort']['field']; of: (record: StoredRecord) => FieldValue }
      > = {
        texts: { field: word, of: ({ body }) => JSON.parse(body).word },
        numbers: { field: size, of: ({ body }) => JSON.parse(body).size },
        booleans: { field: open, of: ({ body }) => Number(JSON.parse(body).open) },
        'times of creation': { field: 'created_at', of: ({ createdAt }) => createdAt },
      };
      for (const [what, { field, of }] of Object.entries(orders)) {
        for (const descending of [false, true]) {
          it(`by ${what}, ${descending ? 'last' : 'first'} first, is the same on one page and on many`, async () => {
            const { collection, made } = await collectionOf(
              fields.map((each, index) => ({ fields: each, createdAt: Math.floor(index / 4) })),
            );
            const expected = made.toSorted(
              (one, other) => compare(of(one), of(other)) || compare(one.id, other.id),
            );
            if (descending) expected.reverse();
            const query = newQuery({ collection, sort: { field, descending } });
            assert.deepEqual(await records.list(query), expected);
            for (const limit of [1, 2, 7]) {
              const paged = await everyPage(records, { ...query, limit }, of);
              assert.deepEqual(paged, expected, `pages of ${limit}`);
            }
            const owned = { ...query, owner: 'usr_somebody', limit: 5 };
            assert.deepEqual(await everyPage(records, owned, of), expected);
            assert.deepEqual(await records.list({ ...query, owner: 'usr_nobody' }), []);
          });
        }
      }

      it('treats a missing field or one of another type as empty, zero or false', async () => {
        const { collection, made } = await collectionOf([
          { id: 'a', fields: {} },
          { id: 'b', fields: { word: 1, size: '7', open: 'true' } },
          { id: 'c', fields: { word: null, size: null, open: null } },
          { id: 'd', fields: { word: ['x'], size: [1], open: { yes: true } } },
          { id: 'e', fields: { word: '', size: 0, open: false } },
        ]);
        for (const [field, value] of [
          [word, ''],
          [size, 0],
          [open, 0],
        ] as const) {
          const query = newQuery({ collection, sort: { field, descending: false } });
          assert.deepEqual(await everyPage(records, { ...query, limit: 2 }, () => value), made);
          const conditions = [{ field, operator: 'eq', value } as const];
          assert.deepEqual(await records.list({ ...query, conditions }), made);
        }
      });

      it('compares texts by their first 500 characters', async () => {
        const long = '\u{1f469}'.repeat(500);
        const { collection, made } = await collectionOf(
          ['a', 'b', 'c'].map((id) => ({ id, fields: { word: `${long}${id.repeat(3_000)}` } })),
        );
        const query = newQuery({ collection, sort: { field: word, descending: false }, limit: 1 });
        assert.deepEqual(await everyPage(records, query, ({ body }) => JSON.parse(body).word), made);
      });
    });

    describe('filters', () => {
      const ids = (list: readonly StoredRecord[]) => list.map(({ id }) => id);

      it('compare like sorting, with every operator', async () => {
        const { collection, made } = await collectionOf([
          ...words.map((text, index) => ({ fields: { word: text, size: 0, open: false }, createdAt: index })),
          ...sizes.map((size, index) => {
            return { fields: { word: 'n', size, open: true }, createdAt: 100 + index };
          }),
        ]);
        const holds = {
          eq: (order: number) => order === 0,
          gt: (order: number) => order > 0,
          gte: (order: number) => order >= 0,
          lt: (order: number) => order < 0,
          lte: (order: number) => order <= 0,
        };
        const asked = [
          ...words.map((value) => ({ field: word, value })),
          ...sizes.map((value) => ({ field: size, value })),
          ...[0, 1].map((value) => ({ field: open, value })),
        ];
        for (const { field, value } of asked) {
          for (const operator of ['eq', 'gt', 'gte', 'lt', 'lte'] as const) {
            const conditions = [{ field, operator, value }];
            const list = await records.list(newQuery({ collection, conditions }));
            const of = (body: string) =>
              field === open ? Number(JSON.parse(body).open) : JSON.parse(body)[field.name];
            const expected = made.filter(({ body }) => holds[operator](compare(of(body), value)));
            assert.deepEqual(ids(list), ids(expected), `${field.name} ${operator} ${JSON.stringify(value)}`);
          }
        }
      });

      it('treat wildcards, quotes and placeholders in a value literally', async () => {
        const { collection } = await collectionOf([{ fields: { word: 'Alice' } }]);
        for (const value of [...'%|_lice|Al%|*|alice|Alice |$1|?|"Alice"'.split('|'), "Alice' or '1'='1"]) {
          const conditions = [{ field: word, operator: 'eq', value } as const];
          assert.deepEqual(await records.list(newQuery({ collection, conditions })), [], value);
        }
      });

      it('are combined with AND, in any order', async () => {
        const { collection } = await collectionOf(
          Array.from({ length: 40 }, (_, index) => ({
            id: String(index).padStart(2, '0'),
            owner: index % 2 === 0 ? 'usr_even' : 'usr_odd',
            state: index % 4 < 2 ? 'low' : 'high',
            createdAt: index,
            updatedAt: index,
            fields: { word: 'w', size: index, open: index % 5 === 0 },
          })),
        );
        const conditions = [
          { field: size, operator: 'gte', value: 10 },
          { field: 'created_at', operator: 'lt', value: 30 },
          { field: open, operator: 'eq', value: 1 },
        ] as const;
        const query = newQuery({ collection, sort: { field: size, descending: true } });
        for (const ordered of [conditions, conditions.toReversed()])
          assert.deepEqual(ids(await records.list({ ...query, conditions: ordered })), [
            '25',
            '20',
            '15',
            '10',
          ]);
        assert.deepEqual(ids(await records.list({ ...query, conditions, owner: 'usr_even' })), ['20', '10']);
        assert.deepEqual(ids(await records.list({ ...query, conditions, state: 'low' })), ['25', '20']);
        assert.deepEqual(ids(await records.list({ ...query, conditions, expiredAt: 20 })), ['25']);
        assert.deepEqual(ids(await records.list({ ...query, conditions, expiredAt: 9 })).length, 4);
        assert.deepEqual(await records.list({ ...query, state: 'LOW' }), []);
        const paged = { ...query, conditions, limit: 1 };
        assert.equal((await everyPage(records, paged, ({ body }) => JSON.parse(body).size)).length, 4);
      });

      it('never match another collection, whatever its name', async () => {
        const names = ["it's", '"quoted"', 'back\\slash', 'percent%', '; drop table records; --', '$1', '{}'];
        await records.prepare(names.map((name) => ({ name, index: [word] })));
        const made = names.map((collection) => newRecord({ collection, fields: { word: collection } }));
        await insertAll(storage, made);
        for (const [index, collection] of names.entries()) {
          const query = newQuery({ collection, sort: { field: word, descending: true } });
          assert.deepEqual(await records.list(query), [made[index]]);
        }
        await records.prepare([]);
      });

      it('refuse an invalid field name', async () => {
        for (const name of [...`|1st|a"b|a'b|a.b|a b|$|é|x') or 1=1 --`.split('|'), 'a'.repeat(64)]) {
          const field = { name, kind: 'text' } as const;
          await assert.rejects(records.prepare([{ name: 'x', index: [field] }]), /not plain/, name);
          const sort = { field, descending: false };
          await assert.rejects(records.list(newQuery({ sort })), /not plain/, name);
        }
      });
    });

    it('pages during inserts and deletes show every unchanged record once', async () => {
      const fieldsOf = (index: number) => ({ word: `w${index % 5}`, size: index % 3, open: index % 2 === 0 });
      for (const field of [word, size, open, 'created_at'] as const) {
        const { collection, made } = await collectionOf(
          Array.from({ length: 60 }, (_, index) => ({ createdAt: index % 7, fields: fieldsOf(index) })),
        );
        const sortedBy = (record: StoredRecord): FieldValue => {
          if (field === 'created_at') return record.createdAt;
          const value = JSON.parse(record.body)[field.name];
          return field === word ? value : Number(value);
        };
        const removed = new Set(made.filter((_, index) => index % 6 === 0).map(({ id }) => id));
        const toRemove = [...removed];
        const disturb = async () => {
          const gone = toRemove.shift();
          const index = Math.floor(Math.random() * 60);
          await apply(storage, {
            removedRecords: gone === undefined ? [] : [{ collection, id: gone }],
            newRecords: [newRecord({ collection, createdAt: index % 7, fields: fieldsOf(index) })],
          });
        };
        const query = newQuery({ collection, sort: { field, descending: true }, limit: 4 });
        const seen = (await everyPage(records, query, sortedBy, disturb)).map(({ id }) => id);
        assert.equal(new Set(seen).size, seen.length, 'nothing twice');
        const stayed = made.filter(({ id }) => !removed.has(id));
        const missing = stayed.filter(({ id }) => !seen.includes(id));
        assert.deepEqual(missing, []);
      }
    });

    it('records are found by their ids, each once', async () => {
      const { collection, made } = await collectionOf(oddTexts.map((text) => ({ fields: { word: text } })));
      const ids = made.map(({ id }) => id);
      const found = async (named: readonly string[], of = collection) =>
        (await records.findAll(of, named)).toSorted((one, other) => compare(one.id, other.id));
      const expected = made.toSorted((one, other) => compare(one.id, other.id));
      assert.deepEqual(await found([...ids, ...ids, randomUUID(), "' or 1=1", '"']), expected);
      assert.deepEqual(await found(ids.slice(0, 1)), made.slice(0, 1));
      assert.deepEqual(await found([]), []);
      assert.deepEqual(await found(ids, 'elsewhere'), []);
      const members = { member: 'usr_somebody', roles: ['reader'], rolesOfAll: [] };
      assert.deepEqual((await records.findAll(collection, ids.slice(0, 1), members))[0]?.members, []);
    });

    it('records of one owner come by collection, time and id, page by page', async () => {
      const owner = randomUUID();
      const made = ['b', 'a', 'a-', 'B', 'é'].flatMap((collection) =>
        [3, 1, 1, 2].map((createdAt) => newRecord({ collection, owner, createdAt })),
      );
      await insertAll(storage, [...made, newRecord({ owner: `${owner}x` })]);
      const expected = made.toSorted(
        (one, other) =>
          compare(one.collection, other.collection) ||
          compare(one.createdAt, other.createdAt) ||
          compare(one.id, other.id),
      );
      assert.deepEqual(await records.ofOwner(owner, null, 100), expected);
      for (const limit of [1, 3]) {
        const all: StoredRecord[] = [];
        for (;;) {
          const page = await records.ofOwner(owner, all.at(-1) ?? null, limit);
          if (page.length === 0) break;
          all.push(...page);
        }
        assert.deepEqual(all, expected);
      }
    });

    describe('the cost of a page', () => {
      const rows = words.map((text, index) => ({
        fields: { word: text.slice(0, index), size: index % 3, note: text },
        createdAt: index % 5,
        state: index % 2 ? 'odd' : 'even',
      }));
      const sorts = [word, size, 'created_at'] as const;
      const sortedBy = (record: StoredRecord, field: RecordQuery['sort']['field']): FieldValue =>
        field === 'created_at' ? record.createdAt : JSON.parse(record.body)[field.name];

      it('sizes and bodies match the list, in order', async () => {
        const { collection } = await collectionOf(rows);
        for (const field of sorts) {
          for (const descending of [false, true]) {
            for (const owner of [null, 'usr_somebody']) {
              const query = newQuery({ collection, owner, sort: { field, descending }, limit: 9 });
              const filtered = { ...query, state: owner === null ? null : 'odd' };
              for (let after: RecordQuery['after'] = null; ; ) {
                const page: readonly StoredRecord[] = await records.list({ ...filtered, after });
                const sizes = page.map(({ body }) => Buffer.byteLength(body));
                assert.deepEqual(await records.sizes({ ...filtered, after }), sizes);
                const texts = page.map((record) => {
                  return { value: sortedBy(record, field), id: record.id, body: record.body };
                });
                assert.deepEqual(await records.bodies({ ...filtered, after }), texts);
                assert.equal(await records.count({ ...filtered, after }), page.length);
                const last: StoredRecord | undefined = page.at(-1);
                if (last === undefined) break;
                after = { value: sortedBy(last, field), id: last.id };
              }
            }
          }
        }
      });

      it('reading in steps omits and repeats nothing, whatever the filter', async () => {
        const { collection, made } = await collectionOf(rows);
        const odd = made.filter(({ state }) => state === 'odd').map(({ id }) => id);
        const small = made.filter(({ body }) => JSON.parse(body).size === 1).map(({ id }) => id);
        const conditions = [{ field: size, operator: 'eq', value: 1 }] as const;
        for (const field of sorts) {
          for (const descending of [false, true]) {
            const sort = { field, descending };
            const query = newQuery({ collection, owner: 'usr_somebody', sort });
            for (const stretch of [1, 4, 1_000]) {
              const state = await stretches({ ...query, state: 'odd' }, stretch);
              assert.deepEqual(state.toSorted(), odd.toSorted());
              const filtered = await stretches({ ...query, conditions }, stretch);
              assert.deepEqual(filtered.toSorted(), small.toSorted());
            }
          }
        }
      });

      it('placeAfter returns the record so many further on, or null past the end', async () => {
        const { collection } = await collectionOf(
          ['b', 'a', 'c'].map((text) => ({ id: text, fields: { word: text }, state: 'any' })),
        );
        const sort = { field: word, descending: false };
        const query = newQuery({ collection, owner: 'usr_somebody', sort, state: 'none' });
        const at = (count: number, after: RecordQuery['after'] = null) =>
          records.placeAfter({ ...query, after }, count);
        assert.deepEqual(await at(1), { value: 'a', id: 'a' });
        assert.deepEqual(await at(3), { value: 'c', id: 'c' });
        assert.equal(await at(4), null);
        assert.deepEqual(await at(2, { value: 'a', id: 'a' }), { value: 'c', id: 'c' });
        assert.equal(await at(3, { value: 'a', id: 'a' }), null);
        assert.equal(await records.placeAfter({ ...query, owner: 'usr_nobody' }, 1), null);
      });

      it('placeAfter respects the state in a list of all owners', async () => {
        const { collection } = await collectionOf(
          ['a', 'b', 'c', 'd'].map((id, index) => {
            return { id, createdAt: index, updatedAt: index, state: index % 2 ? 'odd' : 'even' };
          }),
        );
        const query = newQuery({ collection, state: 'odd', expiredAt: 9 });
        assert.deepEqual(await records.placeAfter(query, 2), { value: 3, id: 'd' }, 'expired or not');
        assert.equal(await records.placeAfter(query, 3), null);
        assert.deepEqual(await stretches({ ...query, expiredAt: 1 }, 1), ['d']);
      });

      it('hasExpired tells whether any record has expired', async () => {
        const { collection } = await collectionOf([{ updatedAt: 10 }, { updatedAt: 20 }]);
        assert.equal(await records.hasExpired(collection, 9), false);
        assert.equal(await records.hasExpired(collection, 10), true);
        assert.equal(await records.hasExpired(`${collection}x`, 100), false);
      });

      /** The ids of a list that is read in steps of so many records. */
      async function stretches(query: RecordQuery, count: number): Promise<string[]> {
        const ids: string[] = [];
        for (let after: RecordQuery['after'] = null; ; ) {
          const until: RecordQuery['after'] = await records.placeAfter({ ...query, after }, count);
          const found = await records.list({ ...query, after, until });
          assert.ok(found.length <= count);
          ids.push(...found.map(({ id }) => id));
          if (until === null) return ids;
          after = until;
        }
      }
    });

    it('records of one collection come by id, page by page', async () => {
      const { collection, made } = await collectionOf(words.map((text) => ({ id: `i${text}` })));
      const expected = made.map(({ id }) => id).toSorted(compare);
      const all: string[] = [];
      for (;;) {
        const page = await records.ofCollection(collection, all.at(-1) ?? '', 3);
        if (page.length === 0) break;
        all.push(...page.map(({ id }) => id));
      }
      assert.deepEqual(all, expected);
    });
  });
}

async function everyPage(
  records: RecordStore,
  query: RecordQuery,
  sortedBy: (record: StoredRecord) => FieldValue,
  between: () => Promise<void> = async () => {},
): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? null : { value: sortedBy(last), id: last.id };
    const page = await records.list({ ...query, after });
    all.push(...page);
    if (page.length < query.limit) return all;
    await between();
  }
}

/** Numbers by size, texts by their bytes. */
function compare(one: FieldValue, other: FieldValue): number {
  if (typeof one === 'number' && typeof other === 'number')
    return one - other > 0 ? 1 : one === other ? 0 : -1;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
