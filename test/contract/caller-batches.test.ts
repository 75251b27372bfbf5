import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { activateDeclarations } from '../../src/collections/check-against.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { batchRulesModule } from '../../src/records/rules/batch-rules.ts';
import type {
  BatchPart,
  CallerBatch,
  Done,
  Operation,
  RecordChange,
  RefusedPart,
} from '../../src/records/rules/operation.ts';
import type { BatchStore, Outcome } from '../../src/storage/port.ts';
import {
  createTestDatabase,
  openedAt,
  storageKinds,
  type TestDatabase,
} from '../support/databases/databases.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { sized } from '../support/run/size.ts';

/** Small numbers everywhere, so that most rules refuse now and then. */
const declarations: Readonly<Record<string, string>> = {
  rooms: `
schema: { properties: { title: { type: string, maxLength: 20 } } }
states:
  open: { close: closed, join: { to: busy, by: everyone, grants: guest } }
  busy: { leave: { to: open, by: [owner, guest], revokes: guest } }
  closed: { open: open }
roles: { guest: { max_per_user: 2 } }
access: { read: everyone, update: [owner, guest], delete: owner }
limits: { per_user: 9, writes: 40/min }
`,
  keys: `
schema: { properties: { note: { type: string, maxLength: 20 } } }
roles: { holder: { max_per_user: 2 } }
access: { read: everyone, update: [owner, holder], delete: owner }
states:
  free: { take: { to: taken, by: everyone, grants: holder } }
  taken: { give: { to: free, by: [owner, holder], revokes: holder } }
limits: { per_user: 9, writes: 1000/min }
`,
  papers: `
parent: { field: room, collection: rooms, accepts: { states: [open, busy] }, on_delete: restrict, max: 6, counts: true }
schema:
  required: [slug]
  properties: { slug: { type: integer, minimum: 1, maximum: 9 }, note: { type: string, maxLength: 20 } }
roles: { author: { parent_roles: [owner, guest] } }
access: { create: author, read: everyone, update: [owner, author], delete: [owner, author] }
unique: [{ fields: [parent, slug] }]
history: true
limits: { per_user: 5, writes: 1000/min }
`,
  chairs: `
parent: { field: room, collection: rooms, on_delete: cascade, capacity: { states: [taken], number: 2, overflow: waiting } }
schema: { properties: { note: { type: string, maxLength: 20 } } }
access: { create: everyone, read: everyone, delete: owner }
states: { taken: { leave: gone }, waiting: { leave: gone }, gone: { again: taken } }
unique: [{ fields: [owner, parent], states: [taken, waiting] }]
limits: { per_user: 9, writes: 1000/min }
`,
};
const collections = readCollections(
  Object.entries(declarations).map(([name, text]) => ({ name, path: `${name}.yaml`, text })),
);
const people = ['ada', 'bob', 'eve'].map((name) => {
  const scopeRoles = Object.fromEntries(collections.map(({ name: of }) => [of, []]));
  return { id: `usr_${name}`, kind: 'user', isMachine: false, scopeRoles } as const;
});

/** One database with the rules of the service. */
class Twin {
  readonly database: TestDatabase;
  readonly #batches: BatchStore;
  readonly close: () => Promise<void>;

  private constructor(database: TestDatabase, batches: BatchStore, close: () => Promise<void>) {
    this.database = database;
    this.#batches = batches;
    this.close = close;
  }

  static async open(kind: (typeof storageKinds)[number]): Promise<Twin> {
    const database = await createTestDatabase(kind);
    const storage = await database.open();
    const declarations = { load: async () => new Map(), save: async () => {} };
    await activateDeclarations({ declared: collections, declarations, records: storage.records });
    const data = {
      collections: collections.map(({ checkFields: _, ...plain }) => plain),
      newcomersPerHour: 0,
      digestKey: new Uint8Array(32),
    };
    const batches = await storage.openBatches({ module: batchRulesModule, data });
    return new Twin(database, batches, () => storage.close());
  }

  async run(operation: Operation): Promise<Outcome> {
    return (await this.runTogether([operation]))[0] as Outcome;
  }

  /** In one commit. */
  runTogether(operations: readonly Operation[]): Promise<readonly Outcome[]> {
    return this.#batches.run(operations);
  }

  /** All rows except tallies of 0, which both ways may leave or not. */
  async rows(): Promise<Readonly<Record<string, readonly object[]>>> {
    const tables: Record<string, readonly object[]> = {};
    for (const [table, by] of Object.entries({
      records: 'collection, id',
      usage: 'owner, collection',
      members: 'collection, record_id, role, member',
      record_history: 'collection, record_id, n',
      tallies: 'collection, record_id, child, state',
      events: 'position',
      proofs: 'digest',
      child_work: 'child, parent_id, what',
    }))
      tables[table] = await this.database.query(`select * from ${table} order by ${by}`);
    return {
      ...tables,
      tallies: (tables.tallies ?? []).filter((row) => Number((row as { n: unknown }).n) !== 0),
    };
  }
}

type Name = 'rooms' | 'keys' | 'papers' | 'chairs';

interface There {
  readonly collection: Name;
  readonly id: string;
  readonly maker: string;
}

/** Changes of existing records, mostly by their owners. */
class Changes {
  /** As if every change so far was made. */
  there: readonly There[] = [];
  readonly #random: PseudoRandom;
  #last = '';

  constructor(random: PseudoRandom) {
    this.#random = random;
  }

  next(maker: string): RecordChange {
    const random = this.#random;
    const hasRoom = this.there.some((one) => one.collection === 'rooms' && one.maker === maker);
    const collection = hasRoom
      ? random.pick<Name>(['rooms', 'keys', 'papers', 'papers', 'papers', 'chairs', 'chairs'])
      : 'rooms';
    const id = hasRoom ? this.#one(collection, maker) : null;
    const revision = random.bytes(6).toString('hex');
    const expected = random.below(20) === 0 ? [`"${this.#last}"`] : null;
    this.#last = revision;
    const fields = this.#fields(collection, maker);
    if (id === null || random.below(3) === 0) {
      const field = collections.find(({ name }) => name === collection)?.parent?.field;
      const parentId = field === undefined ? null : String(fields[field]);
      const made = { collection, id: this.#newId(), revision, parentId, body: JSON.stringify(fields) };
      this.there = [...this.there, { ...made, maker }];
      return collection === 'rooms' || random.below(2) === 0
        ? { ...made, kind: 'create', key: null }
        : { ...made, kind: 'create_under' };
    }
    const of = { collection, id, revision, expected } as const;
    if (random.below(collection === 'rooms' ? 20 : 5) === 0) {
      this.there = this.there.filter((one) => one.id !== id);
      return { ...of, kind: 'remove' };
    }
    const actions = {
      rooms: ['close', 'open', 'join', 'leave'],
      keys: ['take', 'give'],
      papers: [],
      chairs: ['leave', 'leave', 'again'],
    }[collection];
    if (actions.length > 0 && random.below(3) === 0)
      return { ...of, kind: 'act', action: random.pick(actions) };
    const { room: _, ...patch } = fields;
    return { ...of, kind: 'patch', patch };
  }

  /** As callers choose them: not a UUID of version 7. */
  #newId(): string {
    const hex = this.#random.bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  #one(collection: Name, maker: string): string | null {
    const all = this.there.filter((one) => one.collection === collection);
    const own = all.filter((one) => one.maker === maker);
    const some = own.length > 0 && this.#random.below(8) > 0 ? own : all;
    return some.length === 0 ? null : this.#random.pick(some).id;
  }

  #fields(collection: Name, maker: string): Readonly<Record<string, unknown>> {
    const room = this.#one('rooms', maker) ?? this.#newId();
    const number = 1 + this.#random.below(9);
    if (collection === 'papers') return { room, slug: number };
    return collection === 'chairs' ? { room } : {};
  }
}

/** The outcome for callers, without the stack of an error. */
function told(outcome: Outcome): unknown {
  if ('done' in outcome) return plain((outcome.done as Done).result);
  assert.ok(outcome.error instanceof Refusal, String(outcome.error));
  const { code, options } = outcome.error;
  return plain({ code, options });
}

/** Without the classes of byte arrays, which differ by database and thread. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, name, given) {
    const own = this[name];
    return own instanceof Uint8Array ? Buffer.from(own).toString('hex') : given;
  });
  return JSON.parse(text);
}

for (const kind of storageKinds)
  describe(`POST /batch on ${kind}`, () => {
    it('has the same result as its operations one after the other, or none', async () => {
      const [whole, single] = [await Twin.open(kind), await Twin.open(kind)];
      let now = openedAt;
      const at = (parts: readonly BatchPart[], change: RecordChange | CallerBatch): Operation => {
        return { caller: (parts[0] as BatchPart).caller, now, proof: null, change };
      };
      const alone = (part: BatchPart) => at([part], part.change);
      const together = (parts: readonly BatchPart[]) =>
        at(parts, { kind: 'batch', parts, key: null, isCut: false });
      const runAlone = async (parts: readonly BatchPart[]) => {
        const results = [];
        for (const part of parts) results.push(told(await single.run(alone(part))));
        return results;
      };
      /** Answers with the first refusal. */
      const runWhole = async (parts: readonly BatchPart[]): Promise<RefusedPart | null> => {
        const outcome = await whole.run(together(parts));
        if ('error' in outcome) {
          assert.ok(outcome.error instanceof Refusal, String(outcome.error));
          assert.equal(outcome.error.code, 'batch_refused');
          return outcome.error.options.facts as RefusedPart;
        }
        const { batch } = outcome.done as Done;
        assert.ok(batch !== undefined && 'results' in batch);
        assert.deepEqual(plain(batch.results), await runAlone(parts));
        return null;
      };
      try {
        const random = new PseudoRandom(18);
        const changes = new Changes(random);
        const refusals = new Map<string, number>();
        let done = 0;
        for (let round = 0; round < sized(60, 1_000); round += 1) {
          if (round % 20 === 0) assert.deepEqual(await whole.rows(), await single.rows());
          now += random.pick([0, 1, 1_000, 30_000]);
          const caller = random.pick(people);
          const states: (readonly There[])[] = [];
          const parts = Array.from({ length: 1 + random.below(9) }, () => {
            states.push(changes.there);
            return { caller, change: changes.next(caller.id) };
          });
          const refused = await runWhole(parts);
          if (refused === null) {
            done += parts.length;
            continue;
          }
          const { index, refusal } = refused;
          if (index > 0) assert.equal(await runWhole(parts.slice(0, index)), null);
          done += index;
          changes.there = states[index] ?? [];
          const part = parts[index] as BatchPart;
          assert.deepEqual(await runAlone([part]), [plain(refusal)]);
          assert.deepEqual(told(await whole.run(alone(part))), plain(refusal));
          refusals.set(String(refusal?.code), (refusals.get(String(refusal?.code)) ?? 0) + 1);
        }
        assert.deepEqual(await whole.rows(), await single.rows());
        for (const code of ['role_required', 'not_unique', 'invalid_transition', 'precondition_failed'])
          assert.ok(refusals.has(code), `${code} in ${JSON.stringify([...refusals])}`);
        assert.ok(done > 100, String(done));
      } finally {
        await whole.close();
        await single.close();
      }
    });

    it('takes back nothing of the writes in the same commit when it is refused', async () => {
      const twin = await Twin.open(kind);
      const [caller] = people as [(typeof people)[number]];
      const of = { collection: 'rooms', revision: 'r' } as const;
      const make = (id: string): RecordChange => {
        return { ...of, kind: 'create', id, parentId: null, body: '{}', key: null };
      };
      const missing: RecordChange = { ...of, kind: 'remove', id: 'none', expected: null };
      const parts = [make('b'), missing].map((change) => ({ caller, change }));
      const changes = [make('a'), { kind: 'batch', parts, key: null, isCut: false } as const, make('c')];
      try {
        const outcomes = await twin.runTogether(
          changes.map((change) => ({ caller, now: openedAt, proof: null, change })),
        );
        const done = outcomes.map((one) => 'done' in one);
        assert.deepEqual(done, [true, false, true]);
        const { records, usage } = await twin.rows();
        assert.deepEqual([records?.map((row) => 'id' in row && row.id), usage?.length], [['a', 'c'], 1]);
      } finally {
        await twin.close();
      }
    });
  });
