import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import type { Engine } from '../../src/storage/engine.ts';
import type { IndexedField, RecordQuery, Storage } from '../../src/storage/port.ts';
import { recordsAndAncestors } from '../../src/storage/postgres/special.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { pageOf } from '../../src/storage/stores/record-queries.ts';
import { insertAll } from '../support/databases/batches.ts';
import {
  anyKeys,
  createTestDatabase,
  openedAt,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { newQuery, newRecord } from '../support/databases/records.ts';

const slot: IndexedField = { name: 'slot', kind: 'text' };
const seats: IndexedField = { name: 'seats', kind: 'number' };
const paid: IndexedField = { name: 'paid', kind: 'boolean' };

for (const engineName of storageKinds) {
  describe(`the indexes of declared collections on ${engineName}`, () => {
    describe('are made and dropped', () => {
      let database: TestDatabase;
      let storage: Storage;
      before(async () => {
        database = await createTestDatabase(engineName);
        storage = await database.open();
      });
      after(() => storage.close());

      const declared = async () => {
        const rows = await database.query(
          engineName === 'sqlite'
            ? "select name, sql from sqlite_schema where type = 'index' and name like 'declared%' order by name"
            : "select indexname as name, indexdef as sql from pg_indexes where indexname like 'declared%' order by 1",
        );
        return rows.map(({ name }) => String(name));
      };

      it('as declared, and stay when the declarations are the same', async () => {
        const bookings = { name: 'bookings', index: [slot, seats] };
        await storage.records.prepare([bookings]);
        const first = await declared();
        assert.equal(first.length, 6, 'of times two, of each field two');
        await storage.records.prepare([bookings]);
        assert.deepEqual(await declared(), first);
        await storage.records.prepare([bookings, { name: 'notes', index: [] }]);
        const both = await declared();
        assert.deepEqual([...both.filter((name) => first.includes(name))], first);
        assert.equal(both.length, 8);
        await storage.records.prepare([{ name: 'bookings', index: [seats] }]);
        const fewer = await declared();
        assert.equal(fewer.length, 4);
        assert.ok(fewer.every((name) => first.includes(name)));
        await storage.records.prepare([{ name: 'bookings', index: [{ name: 'seats', kind: 'text' }] }]);
        const other = await declared();
        assert.equal(other.filter((name) => fewer.includes(name)).length, 2, 'another kind is another index');
        await storage.records.prepare([]);
        assert.deepEqual(await declared(), []);
      });

      it('only as far as a collection needs them', async () => {
        const alone = { name: 'bookings', index: [slot], listedByOthers: false, expires: false };
        await storage.records.prepare([alone]);
        assert.equal((await declared()).length, 1);
        await storage.records.prepare([{ ...alone, expires: true }]);
        assert.equal((await declared()).length, 2);
        await storage.records.prepare([{ ...alone, listedByOthers: true }]);
        assert.equal((await declared()).length, 3);
      });

      it('an index of many records says its name before it is created', async () => {
        const begun: string[] = [];
        const prepare = (index: IndexedField[]) =>
          storage.records.prepare([{ name: 'many', index }], [], (what) => begun.push(what));
        await prepare([slot]);
        assert.deepEqual(begun, []);
        await database.query(
          `insert into records (collection, id, owner, state, revision, created_at, updated_at, body)
            with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
            select 'many', 'id' || n, 'usr_1', null, 'r', n, n, '{"seats":1}' from numbers`,
        );
        await prepare([slot, seats]);
        assert.ok(begun.length > 0);
        for (const what of begun) assert.match(what, /^Creating the index declared_many_seats_\w+$/);
        await database.query(`delete from records where collection = 'many'`);
        await storage.records.prepare([]);
      });

      it('under distinct names, even when collections and fields are long and similar', async () => {
        const long = `a${'b'.repeat(62)}`;
        const names = [long, `${long.slice(0, 62)}c`, 'a-b', 'a--b', 'a'];
        const index = [long, `${long.slice(0, 62)}C`, 'a_b'].map((name) => ({ name, kind: 'text' }) as const);
        await storage.records.prepare(names.map((name) => ({ name, index })));
        const made = await declared();
        assert.equal(new Set(made).size, names.length * (2 + 2 * index.length));
        await storage.records.prepare(names.map((name) => ({ name, index })));
        assert.deepEqual(await declared(), made);
      });

      it('over existing records of any content', async () => {
        const bodies = [
          '{}',
          '{"seats":"many","slot":7}',
          '{"seats":1e308,"slot":"\u{1f600}"}',
          '{"seats":{}}',
        ];
        bodies.push(JSON.stringify({ slot: '\u{1f469}'.repeat(4_000) }));
        await insertAll(
          storage,
          bodies.map((body) => newRecord({ collection: 'old', body })),
        );
        await storage.records.prepare([{ name: 'old', index: [slot, seats, paid] }]);
        const query = newQuery({ collection: 'old', sort: { field: seats, descending: false } });
        assert.equal((await storage.records.list(query)).length, bodies.length);
      });

      it('once when several processes start with the same or other declarations', async () => {
        const others = await Promise.all(Array.from({ length: 4 }, () => database.open()));
        const wanted = { name: 'many', index: [slot, seats, paid] };
        await Promise.all(others.map((other) => other.records.prepare([wanted])));
        assert.equal((await declared()).length, 8);
        await Promise.all(
          others.map((other, index) => other.records.prepare(index % 2 === 0 ? [wanted] : [])),
        );
        assert.ok([0, 8].includes((await declared()).length), 'the last one has its way');
        await Promise.all(others.map((other) => other.close()));
      });
    });

    describe('are used', () => {
      const collection = 'bookings';
      let engine: Engine;
      let storage: Storage;
      before(async () => {
        const database = await createTestDatabase(engineName);
        engine = await database.openEngine();
        storage = await createStorage(engine, openedAt, anyKeys);
        await storage.records.prepare([{ name: collection, index: [slot, seats, paid] }]);
        await insertAll(
          storage,
          Array.from({ length: 4_000 }, (_, index) =>
            newRecord({
              collection: index % 2 === 0 ? collection : 'others',
              owner: `usr_${index % 20}`,
              state: index % 50 < 2 ? 'rare' : 'usual',
              createdAt: index,
              updatedAt: index,
              fields: { slot: `s${index}`, seats: index % 100, paid: index % 3 === 0 },
            }),
          ),
        );
        // PostgreSQL does this itself soon after so many changes. SQLite must do without it.
        if (engineName !== 'sqlite') await engine.database.executeQuery(CompiledQuery.raw('analyze records'));
      });
      after(() => storage.close());

      const planOf = async (query: RecordQuery): Promise<string> => {
        const { sql, parameters } = pageOf(engine, { ...query, atMost: query.limit }).compile();
        const how = engineName === 'sqlite' ? 'explain query plan' : 'explain';
        const { rows } = await engine.database.executeQuery<Record<string, unknown>>(
          CompiledQuery.raw(`${how} ${sql}`, [...parameters]),
        );
        return rows.map((row) => String(row.detail ?? row['QUERY PLAN'])).join('\n');
      };
      /** Every access uses this index, and SQLite, which has no statistics, reads at most a page of it. */
      const isBy = (plan: string, index: RegExp) => {
        const looks = plan.split('\n').filter((line) => /SEARCH records|Index Scan|Seq Scan/.test(line));
        assert.ok(looks.length > 0, plan);
        for (const look of looks) assert.match(look, index, plan);
        assert.doesNotMatch(plan, /SEARCH records[^\n]*\nUSE TEMP B-TREE/);
      };

      const pages = {
        'the first page': null,
        'a later page': { id: '5', value: { text: 's2', number: 50, boolean: 1, created_at: 2_000 } },
      } as const;
      const lists = {
        'of all owners': { query: {}, created: /declared_bookings_created_at/ },
        'of one owner': { query: { owner: 'usr_4' }, created: /records_owner/ },
        'that have not expired': { query: { expiredAt: 100 }, created: /declared_bookings_created_at/ },
        'of one owner that have not expired': {
          query: { owner: 'usr_4', expiredAt: 100 },
          created: /records_owner/,
        },
      };
      for (const [which, page] of Object.entries(pages)) {
        for (const [whose, { query, created }] of Object.entries(lists)) {
          it(`for ${which} of records ${whose}, in both directions`, async () => {
            for (const descending of [false, true]) {
              for (const field of [slot, seats, paid, 'created_at'] as const) {
                const kind = field === 'created_at' ? field : field.kind;
                const after = page && { id: page.id, value: page.value[kind] };
                const asked = newQuery({
                  collection,
                  ...query,
                  sort: { field, descending },
                  after,
                  limit: 10,
                });
                const index =
                  field === 'created_at' ? created : new RegExp(`declared_bookings_${field.name}`);
                const plan = await planOf(asked);
                isBy(plan, index);
                const walksOthers = engineName === 'sqlite' && asked.owner !== null && !/owner=\?/.test(plan);
                assert.ok(!walksOthers, plan);
              }
            }
          });
        }
      }

      it('for the records of a caller and those shared with it, merged, without a scan of members', async () => {
        const member = 'usr_4';
        const roles = ['admin', 'member'];
        const memberOf = { member, roles: roles.map((role) => ({ role, states: null })) };
        const members = { member, roles, rolesOfAll: [] };
        for (const owner of [null, member])
          for (const after of [null, { id: '5', value: 2_000 }]) {
            const plan = await planOf(newQuery({ collection, owner, after, memberOf, members, limit: 10 }));
            assert.doesNotMatch(plan, /TEMP B-TREE|CORRELATED|SubPlan/, plan);
          }
      });

      it('for a range of the sort field', async () => {
        for (const owner of [null, 'usr_4']) {
          const conditions = [
            { field: slot, operator: 'gte', value: 's10' },
            { field: slot, operator: 'lt', value: 's11' },
          ] as const;
          const sort = { field: slot, descending: true };
          isBy(
            await planOf(newQuery({ collection, owner, conditions, sort, limit: 10 })),
            /declared_bookings_slot/,
          );
        }
      });

      it('and cover the whole record for SQLite lists of all owners, unless it may be large', async () => {
        const everybodys = newQuery({ collection, sort: { field: slot, descending: false }, limit: 10 });
        const isWhole = async () => /COVERING INDEX declared_bookings_slot/.test(await planOf(everybodys));
        assert.equal(await isWhole(), engineName === 'sqlite');
        const large = { name: collection, index: [slot, seats, paid], bytes: 16_385 };
        await storage.records.prepare([large]);
        assert.equal(await isWhole(), false);
        isBy(await planOf(everybodys), /declared_bookings_slot/);
        await storage.records.prepare([{ ...large, bytes: 16_384 }]);
        assert.equal(await isWhole(), engineName === 'sqlite');
      });

      it('for records in a rare state', async () => {
        for (const after of [null, { value: 1_000, id: 'x' }]) {
          isBy(await planOf(newQuery({ collection, state: 'rare', after, limit: 10 })), /records_state/);
        }
      });

      it('for expired records', async () => {
        const sql = `select id from records where collection = '${collection}' and updated_at <= 10 order by updated_at limit 5`;
        const how = engineName === 'sqlite' ? 'explain query plan' : 'explain';
        const { rows } = await engine.database.executeQuery<Record<string, unknown>>(
          CompiledQuery.raw(`${how} ${sql}`),
        );
        assert.match(JSON.stringify(rows), /declared_bookings_updated_at/);
      });

      if (engineName === 'postgres')
        it('for the records of a batch and their ancestors, each by its key', async () => {
          // As many as a batch has: PostgreSQL expects ten times as many from the recursion.
          const ids = Array.from({ length: 100 }, (_, index) => String(index));
          const parents = [{ child: collection, collection: 'others', level: 1 }];
          const named = ids.map((id) => ({ collection, id }));
          const values = [JSON.stringify(named), JSON.stringify(parents)];
          const { rows } = await engine.database.executeQuery<Record<string, unknown>>(
            CompiledQuery.raw(`explain ${recordsAndAncestors}`, values),
          );
          assert.doesNotMatch(JSON.stringify(rows), /Seq Scan on records/);
        });
    });
  });
}
