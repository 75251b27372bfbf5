import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Lookup, nameIn, type Table } from '../../src/storage/batch/table.ts';
import { tables as batchTables, lookups } from '../../src/storage/batch/tables.ts';
import type { BatchChanges, BatchKeys, Loaded } from '../../src/storage/port.ts';
import { tables } from '../../src/storage/schema.ts';
import { createBatchRules } from '../support/databases/batch-rules.ts';
import { apply, load, newIdempotencyKey, newProof } from '../support/databases/batches.ts';
import { createTestDatabase, storageKinds } from '../support/databases/databases.ts';
import { MemoryStore } from '../support/databases/memory-store.ts';
import { newRecord, noUsage } from '../support/databases/records.ts';

interface FoundColumn {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly key: number;
}

const columnsIn = {
  // SQLite numbers the rows of a table whose key is an integer: such a key is never null.
  sqlite: (table: string) =>
    `select name, type, "notnull" = 0 and not (pk > 0 and type = 'INTEGER') as nullable, pk as key from pragma_table_xinfo('${table}') where hidden = 0`,
  postgres: (table: string) =>
    `select column_name as name, data_type as type, is_nullable = 'YES' as nullable, coalesce((
       select ordinality from pg_index, unnest(indkey) with ordinality as one (attnum, ordinality), pg_attribute
       where indrelid = '${table}'::regclass and indisprimary and attrelid = indrelid
         and pg_attribute.attnum = one.attnum and attname = column_name), 0) as key
     from information_schema.columns where table_name = '${table}' and is_generated = 'NEVER'`,
} as const;

const typesIn = {
  sqlite: { text: 'TEXT', integer: 'INTEGER', bytes: 'BLOB' },
  postgres: { text: 'text', integer: 'bigint', bytes: 'bytea' },
} as const;

for (const kind of storageKinds) {
  const engine = kind === 'sqlite' ? 'sqlite' : 'postgres';
  describe(`the described tables on ${kind}`, () => {
    it('have the columns and keys of the database', async () => {
      const database = await createTestDatabase(kind);
      await (await database.open()).close();
      for (const [name, table] of Object.entries(tables) as [string, Table][]) {
        assert.equal(table.name, name);
        const rows = await database.query(columnsIn[engine](name));
        const found = rows.map((row): FoundColumn => {
          const { name: of, type, nullable, key } = row as Record<string, unknown>;
          return { name: String(of), type: String(type), isNullable: Boolean(nullable), key: Number(key) };
        });
        const described = Object.entries(table.columns).map(([of, column]): FoundColumn => {
          const { type, isNullable } = column;
          const key = table.key.indexOf(of) + 1;
          return { name: nameIn(of), type: typesIn[engine][type], isNullable, key };
        });
        const byName = (one: FoundColumn, other: FoundColumn) => (one.name < other.name ? -1 : 1);
        assert.deepEqual(found.sort(byName), described.sort(byName), name);
      }
    });

    it('are read and written as by the memory store of the tests', async () => {
      const storage = await createTestDatabase(kind).then((database) => database.open());
      const memory = new MemoryStore();
      const rules = createBatchRules();
      for (const changes of batches) {
        await apply(storage, changes);
        memory.run([{ kind: 'plain', keys: {}, changes }], rules);
        const [outcome] = memory.run([{ kind: 'plain', keys, changes: {} }], rules);
        const expected = (outcome as { done: Loaded }).done;
        const found = await load(storage, keys);
        for (const name of Object.keys(expected) as (keyof Loaded)[])
          assert.deepEqual(plain(name, found[name]), plain(name, expected[name]), name);
      }
      await storage.close();
    });

    it('find a row by its whole key only', async () => {
      const storage = await createTestDatabase(kind).then((database) => database.open());
      await apply(storage, batches[0] ?? {});
      for (const [name, lookup] of Object.entries(lookups) as [keyof typeof lookups, Lookup][]) {
        const [key] = (keys[name] ?? []) as readonly Readonly<Record<string, unknown>>[];
        if (lookup.how === 'special' || key === undefined) continue;
        const found = async (changes: object = {}): Promise<number> =>
          (await load(storage, { [name]: [{ ...key, ...changes }] }))[name].length;
        assert.notEqual(await found(), 0, `control: ${name}`);
        for (const column of lookup.by) {
          const value: unknown = key[column];
          const other = value instanceof Uint8Array ? Uint8Array.of(...value, 0) : `${value}x`;
          assert.equal(await found({ [column]: other }), 0, `${name} by another ${column}`);
        }
      }
      await storage.close();
    });

    it('lose the rows that end at a moment, and no others', async () => {
      const database = await createTestDatabase(kind);
      const storage = await database.open();
      await apply(storage, { newConsumers: [{ ...ada, id: 'x' }] });
      await apply(storage, { newRecords: [newRecord({ collection: 'x', id: 'x' })] });
      const ending: string[] = [];
      for (const { name, columns } of Object.values(batchTables).filter(
        (one) => one !== batchTables.proofs,
      )) {
        const isEnd = (column: string) => column === 'expiresAt' || column === 'endsAt';
        if (!Object.keys(columns).some(isEnd)) continue;
        ending.push(name);
        for (const at of [10, 11]) {
          const bytes = engine === 'sqlite' ? `x'${at}'` : `'\\x${at}'`;
          const sample = { text: "'x'", integer: '1', bytes };
          const values = Object.entries(columns).map(([of, { type }]) => (isEnd(of) ? at : sample[type]));
          await database.query(
            `insert into ${name} (${Object.keys(columns).map(nameIn)}) values (${values.join()})`,
          );
        }
      }
      assert.deepEqual(ending, ['spent_budgets', 'idempotency_keys', 'invitations']);
      for (const [now, left] of [
        [9, 2],
        [10, 1],
        [11, 0],
      ]) {
        await storage.records.forgetExpired(Number(now));
        for (const name of ending)
          assert.equal((await database.query(`select 1 from ${name}`)).length, left, `${name} at ${now}`);
      }
      await storage.close();
    });
  });
}

it('the table of proofs has nothing but a digest and an expiry', () => {
  assert.deepEqual(Object.keys(tables.proofs.columns), ['digest', 'expiresAt']);
});

/** The order counts only where it is promised. */
function plain(name: string, rows: unknown): unknown {
  if (!Array.isArray(rows) || name === 'waiting') return rows;
  return rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();
}

const ada = { id: 'usr_ada', kind: 'user', state: 'active', registeredAt: 5 } as const;
const bob = { ...ada, id: 'usr_bob', registeredAt: 7 };
const client = { ...ada, id: 'svc_client', kind: 'client', registeredAt: 9 } as const;
const usage = { ...noUsage, owner: ada.id, collection: 'notes', records: 3 };
const root = newRecord({ collection: 'rooms', owner: ada.id });
const under = [3, 1, 2].map((createdAt) =>
  newRecord({ owner: bob.id, parentId: root.id, state: 'waiting', createdAt, fields: { slot: createdAt } }),
);
const [first, second, third] = under as [typeof root, typeof root, typeof root];
const inRoot = { collection: 'rooms', recordId: root.id };
const member = { ...inRoot, role: 'guest', member: bob.id, since: 1, recordCreatedAt: 1 };
const alias = new Uint8Array([1, 2, 3]);
const invitation = { ...inRoot, digest: alias, id: 'i', role: 'guest', madeBy: ada.id };
const code = { ...invitation, usesLeft: 2, expiresAt: 10, createdAt: 1 };
const tally = { ...inRoot, child: 'notes', state: 'waiting' };
const key = newIdempotencyKey({ owner: ada.id });
const proof = newProof();
const step = { ...inRoot, at: 1, action: 'update', fromState: null, toState: null, role: 'owner' };

const batches: readonly BatchChanges[] = [
  {
    newConsumers: [ada, bob, client],
    newRecords: [root, ...under],
    newUsage: [usage, { ...usage, collection: 'less', records: -1 }],
    idempotencyKeys: [key],
    newMembers: [{ ...member, alias }],
    invitations: [code, { ...code, digest: new Uint8Array([9]), madeBy: bob.id }],
    tallies: [
      { ...tally, n: 3 },
      { ...tally, recordId: 'gone', n: 1 },
    ],
    history: [step, step],
    proofs: [proof],
  },
  {
    changedRecords: [{ ...first, state: 'taken', revision: 'r2' }],
    removedRecords: [second],
    changedUsage: [
      { ...usage, records: -1, writes: 2 },
      { ...usage, collection: 'less', records: -1 },
    ],
    movedUsage: [{ owner: 'usr_gone', collection: 'notes', records: 1 }],
    idempotencyKeys: [{ ...key, recordIds: 'another' }],
    removedMembers: [{ ...member, role: 'guest' }],
    closedInvitationsOf: [{ ...inRoot, madeBy: bob.id }],
    invitations: [{ ...code, usesLeft: 1 }],
    tallies: [
      { ...tally, n: -5 },
      { ...tally, state: 'taken', n: 1 },
    ],
    childWork: [{ child: 'notes', parentId: root.id, what: 'own', newOwner: bob.id, at: 1 }],
  },
  {
    steps: [{ removed: third }, { put: { ...third, id: first.id, state: 'waiting' } }],
    movedUsage: [{ owner: ada.id, collection: 'notes', records: -9 }],
    usedInvitations: [{ digest: alias }],
  },
  { removedRecords: [root] },
];

const slot = { name: 'slot', kind: 'number' } as const;
const keys: BatchKeys = {
  codes: [code],
  consumers: [bob, ada, ada, { id: 'usr_none' }],
  proofs: [proof, newProof()],
  parents: [{ child: 'notes', collection: 'rooms', level: 1 }],
  records: [first, second, third],
  waiting: [{ collection: 'notes', parentId: root.id, state: 'waiting', limit: 2 }],
  usage: [usage, usage, { ...usage, collection: 'less' }],
  idempotencyKeys: [key],
  invitations: [code],
  members: [member],
  holders: [member],
  membersByAlias: [{ ...inRoot, alias }],
  memberCounts: [inRoot, inRoot],
  memberships: [{ member: bob.id, collection: 'rooms' }],
  tallies: [tally],
  unique: [{ collection: 'notes', rule: 0, columns: ['owner', slot], values: [bob.id, 2], states: null }],
  children: [{ collection: 'notes', parentId: root.id, limit: 10 }],
  newcomers: [0, 5, 6, 7, 8].flatMap((since) => [10, 1].map((maxCount) => ({ since, maxCount }))),
};
