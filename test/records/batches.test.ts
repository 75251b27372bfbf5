import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/errors.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { createBatchRules } from '../../src/records/rules/batch-rules.ts';
import {
  type CallerBatch,
  type Change,
  isOfRecord,
  type Operation,
  type RecordChange,
} from '../../src/records/rules/operation.ts';
import type { Outcome } from '../../src/storage/port.ts';
import { MemoryStore } from '../support/databases/memory-store.ts';
import { sized } from '../support/run/size.ts';

const tasks = `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 20 }, count: { type: integer } }
states: { draft: { submit: submitted }, submitted: { approve: { to: approved, by: client } }, approved: {} }
access: { clients: any }
limits: { per_user: 3, writes: 6/min, newcomer: 4/min for 1h, expire: 2min }`;
const notes = `
schema:
  properties: { text: { type: string, maxLength: 20 } }
access: { read: everyone, clients: own }
concurrency: required
limits: { per_user: 2, writes: 100/min }`;

const rules = await createBatchRules({
  collections: readCollections([
    { name: 'tasks', path: 'tasks.yaml', text: tasks },
    { name: 'notes', path: 'notes.yaml', text: notes },
  ]),
  newcomersPerHour: 2,
  digestKey: new Uint8Array(32),
  isStrict: true,
});

const ids = ['a', 'b'].map((letter) => letter.repeat(8));
const start = Date.UTC(2026, 0, 1);
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

const caller = fc.constantFrom(
  ...['ada', 'bob', 'eve'].map((id) => ({ id, kind: 'user', isMachine: false }) as const),
  { id: 'robot', kind: 'client', isMachine: true } as const,
);
const body = fc.constantFrom('{"text":"x"}', '{"text":"y","count":1}');
const collection = fc.constantFrom('tasks', 'notes');
const id = fc.constantFrom(...ids);
/** The expected revision: any, none, or one of the first few. */
const expected = fc.option(
  fc.oneof(
    fc.constant('*' as const),
    fc.nat(60).map((number) => [`"r${number}"`]),
  ),
  { nil: null },
);
const key = fc.option(
  fc.record({
    keyDigest: fc.constantFrom(bytes('k1'), bytes('k2')),
    requestDigest: fc.constantFrom(bytes('q1'), bytes('q2')),
  }),
  { nil: null },
);

const recordChange: fc.Arbitrary<RecordChange> = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    collection,
    id: fc.uuid(),
    revision: fc.constant(''),
    parentId: fc.constant(null),
    body,
    key,
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create_under' as const),
      collection,
      id,
      revision: fc.constant(''),
      parentId: fc.constant(null),
      body,
    }),
  },
  fc.record({
    kind: fc.constant('replace' as const),
    collection,
    id,
    revision: fc.constant(''),
    body,
    expected,
  }),
  fc.record({
    kind: fc.constant('patch' as const),
    collection,
    id,
    revision: fc.constant(''),
    patch: fc.constantFrom({ text: 'z' }, { text: null }, { count: 5 }),
    expected,
  }),
  fc.record({
    kind: fc.constant('act' as const),
    collection,
    id,
    revision: fc.constant(''),
    action: fc.constantFrom('submit', 'approve', 'nothing'),
    expected,
  }),
  fc.record({ kind: fc.constant('remove' as const), collection, id, revision: fc.constant(''), expected }),
);

type AskedBatch = Omit<CallerBatch, 'parts'> & { readonly changes: readonly RecordChange[] };

const change: fc.Arbitrary<Exclude<Change, CallerBatch> | AskedBatch> = fc.oneof(
  fc.constant({ kind: 'register' } as const),
  fc.constant({ kind: 'refused' } as const),
  { weight: 8, arbitrary: recordChange },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      changes: fc.array(recordChange, { minLength: 1, maxLength: 4 }),
      key,
      isCut: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    }),
  },
);

/** Most writes have no proof; with only three values some are used twice. */
const proof = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...['p1', 'p2', 'p3'].map((jti) => ({ digest: bytes(jti), expiresAt: 9e12 }))),
  },
);

/** In chronological order, with some long pauses, so that windows end and records expire. */
const history = fc
  .array(fc.record({ caller, proof, change, pause: fc.constantFrom(0, 0, 1, 1_000, 70_000) }), {
    minLength: 10,
    maxLength: 60,
    size: 'max',
  })
  .map((steps) => {
    let now = start;
    return steps.map(({ caller: who, proof: used, change: what, pause }, number): Operation => {
      now += pause;
      const made = (one: RecordChange, part = '') => ({ ...one, revision: `r${number}${part}` });
      const given = { caller: who, now, proof: used };
      if (what.kind === 'batch') {
        const { changes, ...rest } = what;
        const parts = changes.map((one, index) => ({
          caller: who,
          // Operations in a batch have no key of their own.
          change: made(one.kind === 'create' ? { ...one, key: null } : one, `.${index}`),
        }));
        return { ...given, change: { ...rest, parts } };
      }
      return { ...given, change: isOfRecord(what) ? made(what) : what };
    });
  });

/** The answer to a caller, without the stack of an error. */
function told(outcome: Outcome): unknown {
  if ('done' in outcome) return outcome.done;
  assert.ok(outcome.error instanceof Refusal, String(outcome.error));
  const { code, options } = outcome.error;
  return { code, options };
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

describe('batches of operations', () => {
  it('have the same result however operations are split into batches', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 30 }),
        (operations, cuts) => {
          const [single, batched] = [new MemoryStore(), new MemoryStore()];
          const one = operations.flatMap((operation) => single.run([operation], rules)).map(told);
          const many: unknown[] = [];
          let at = 0;
          for (let turn = 0; at < operations.length; turn += 1) {
            const size = cuts[turn % cuts.length] as number;
            many.push(...batched.run(operations.slice(at, at + size), rules).map(told));
            at += size;
          }
          assert.deepEqual(many, one);
          for (const what of ['consumers', 'records', 'usage', 'keys', 'proofs'] as const)
            assert.deepEqual(sorted<unknown>(batched[what]), sorted<unknown>(single[what]), what);
          assert.deepEqual(batched.events, single.events);
        },
      ),
      { numRuns: sized(300, 5_000) },
    );
  });

  it('emit events from which a reader can rebuild all records and versions', () => {
    fc.assert(
      fc.property(history, (operations) => {
        const store = new MemoryStore();
        store.run(operations, rules);
        const known = new Map<string, unknown>();
        for (const { type, data } of store.events) {
          const { id: of, collection: name, revision, state } = JSON.parse(data);
          const place = JSON.stringify([name, of]);
          if (type === `${name}.created`) assert.ok(!known.has(place), 'made where something was');
          else assert.ok(known.has(place), `${type} of what nobody has heard of`);
          if (type === `${name}.deleted` || type === `${name}.expired`) known.delete(place);
          else known.set(place, { revision, state });
        }
        const there = [...store.records].map(([place, { revision, state }]) => [place, { revision, state }]);
        assert.deepEqual(sorted(known), sorted(new Map(there as [string, unknown][])));
      }),
      { numRuns: sized(300, 5_000) },
    );
  });

  it('keep usage equal to the number of records, within the quota', () => {
    fc.assert(
      fc.property(history, (operations) => {
        const store = new MemoryStore();
        store.run(operations, rules);
        for (const { owner, collection: name, records } of store.usage.values()) {
          const there = [...store.records.values()].filter(
            (record) => record.owner === owner && record.collection === name,
          ).length;
          assert.equal(records, there, `${owner} in ${name}`);
          if (owner !== 'robot') assert.ok(there <= (name === 'tasks' ? 3 : 2));
        }
      }),
      { numRuns: sized(300, 5_000) },
    );
  });
});
