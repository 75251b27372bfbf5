import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UsedProof } from '../../src/base/caller.ts';
import { Refusal } from '../../src/base/errors.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { createBatchRules } from '../../src/records/rules/batch-rules.ts';
import type { Change, Done, Operation } from '../../src/records/rules/operation.ts';
import type { Outcome } from '../../src/storage/port.ts';
import { newProof } from '../support/databases/batches.ts';
import { MemoryStore } from '../support/databases/memory-store.ts';

const text = `
schema:
  properties: { text: { type: string, maxLength: 20 } }
limits: { per_user: 2, writes: 100/min }`;

const rules = await createBatchRules({
  collections: readCollections([{ name: 'notes', path: 'notes.yaml', text }]),
  newcomersPerHour: 0,
  digestKey: new Uint8Array(32),
  isStrict: true,
});

const caller = { id: 'ada', kind: 'user', isMachine: false } as const;
const bytes = (content: string) => new Uint8Array(Buffer.from(content));
const key = { keyDigest: bytes('k'), requestDigest: bytes('q') };
let count = 0;

function creation(changes: Partial<Extract<Change, { kind: 'create' }>> = {}): Change {
  count += 1;
  const named = { collection: 'notes', id: `note${count}`, revision: `r${count}`, parentId: null };
  return { ...named, kind: 'create', body: '{"text":"x"}', key: null, ...changes };
}

function operation(proof: UsedProof | null, change: Change = creation()): Operation {
  return { caller, now: Date.UTC(2026, 0, 1), proof, change };
}

/** The code of a refusal, or the kind of the result. */
function told(outcome: Outcome | undefined): unknown {
  assert.ok(outcome !== undefined);
  if ('done' in outcome) return (outcome.done as Done).result?.kind ?? 'done';
  assert.ok(outcome.error instanceof Refusal, String(outcome.error));
  return outcome.error.code;
}

/** Two operations with one proof: in one batch, and in two. */
const ways = {
  'in one batch': (store: MemoryStore, both: readonly Operation[]) => store.run(both, rules),
  'in the next batch': (store: MemoryStore, both: readonly Operation[]) =>
    both.flatMap((one) => store.run([one], rules)),
};

for (const [when, run] of Object.entries(ways)) {
  describe(`a proof that is used again ${when}`, () => {
    it('is refused, and the second write changes nothing', () => {
      const store = new MemoryStore();
      const proof = newProof();
      const outcomes = run(store, [operation(proof), operation({ ...proof })]);
      assert.deepEqual(outcomes.map(told), ['created', 'proof_replayed']);
      assert.deepEqual([store.records.size, store.events.length, store.proofs.size], [1, 1, 1]);
      assert.deepEqual([...store.proofs.values()], [proof]);
      assert.equal([...store.usage.values()].map(({ writes }) => writes).join(), '1');
    });

    it('is refused for every kind of write', () => {
      const named = { collection: 'notes', id: 'note_own', revision: 'r' };
      const changes: Change[] = [
        { kind: 'register' },
        { kind: 'refused' },
        creation(),
        { ...named, kind: 'create_under', parentId: null, body: '{}' },
        { ...named, kind: 'replace', body: '{}', expected: null },
        { ...named, kind: 'patch', patch: {}, expected: null },
        { ...named, kind: 'remove', expected: null },
        { ...named, kind: 'act', action: 'submit', expected: null },
      ];
      for (const change of changes) {
        const proof = newProof();
        const outcomes = run(new MemoryStore(), [operation(proof), operation(proof, change)]);
        assert.deepEqual(outcomes.map(told), ['created', 'proof_replayed'], change.kind);
      }
    });

    it('is refused after a registration', () => {
      const store = new MemoryStore();
      const proof = newProof();
      const outcomes = run(store, [operation(proof, { kind: 'register' }), operation(proof)]);
      assert.deepEqual(outcomes.map(told), ['done', 'proof_replayed']);
      assert.equal(store.records.size, 0);
    });

    it('is refused after a request that was refused earlier, which stores only its proof', () => {
      const store = new MemoryStore();
      const proof = newProof();
      const outcomes = run(store, [operation(proof, { kind: 'refused' }), operation(proof)]);
      assert.deepEqual(outcomes.map(told), ['done', 'proof_replayed']);
      assert.deepEqual([...store.proofs.values()], [proof]);
      assert.deepEqual([store.consumers.size, store.usage.size, store.events.length], [0, 0, 0]);
    });

    it('is refused before a known Idempotency-Key is answered', () => {
      const proof = newProof();
      const again = (used: UsedProof) => operation(used, creation({ key }));
      assert.deepEqual(run(new MemoryStore(), [again(proof), again(proof)]).map(told), [
        'created',
        'proof_replayed',
      ]);
      const store = new MemoryStore();
      assert.deepEqual(run(store, [again(proof), again(newProof())]).map(told), ['created', 'repeated']);
      assert.equal(store.records.size, 1, 'control: with a proof of its own it is the same record again');
    });

    it('is refused even if the first write was refused', () => {
      const store = new MemoryStore();
      store.run([operation(null), operation(null)], rules);
      const [proof, free] = [newProof(), [...store.records.values()][0]?.id ?? ''];
      const removal: Change = { collection: 'notes', id: free, revision: '', kind: 'remove', expected: null };
      const [first, , third] = run(store, [
        operation(proof),
        operation(null, removal),
        operation(proof),
        operation(newProof()),
      ]);
      assert.deepEqual([first, third].map(told), ['quota_exceeded', 'proof_replayed']);
      assert.equal(store.records.size, 2, 'control: there was room for it by then');
    });
  });
}

describe('operations without proofs', () => {
  it('neither load nor store a proof', () => {
    const operations = [operation(null), operation(null, { kind: 'register' })];
    const keys = rules.keysOf(operations);
    assert.deepEqual(keys.proofs ?? [], []);
    const store = new MemoryStore();
    store.run(operations, rules);
    assert.equal(store.proofs.size, 0);
    const proof = newProof();
    assert.deepEqual(rules.keysOf([operation(null), operation(proof)]).proofs, [{ digest: proof.digest }]);
  });
});
