import assert from 'node:assert/strict';
import type {
  BatchChanges,
  BatchKeys,
  BatchRules,
  Consumer,
  Loaded,
  NewEvent,
  Outcome,
  SpentBudget,
  StoredIdempotencyKey,
  StoredRecord,
  Usage,
} from '../../src/storage/port.ts';

type UsageRow = Usage & { readonly owner: string; readonly collection: string };

/** A database in plain maps, as strict as the tables, so that wrong changes fail. */
export class MemoryStore {
  readonly consumers = new Map<string, Consumer>();
  readonly records = new Map<string, StoredRecord>();
  readonly usage = new Map<string, UsageRow>();
  readonly keys = new Map<string, StoredIdempotencyKey>();
  readonly proofs = new Map<string, number>();
  readonly events: NewEvent[] = [];
  spent: SpentBudget[] = [];

  run(operations: readonly unknown[], rules: BatchRules): readonly Outcome[] {
    const { changes, outcomes } = rules.decide(operations, this.#load(rules.keysOf(operations)));
    this.#apply(changes);
    return outcomes;
  }

  #load(keys: BatchKeys): Loaded {
    const found = <V>(map: ReadonlyMap<string, V>, names: readonly string[]) =>
      names.flatMap((name) => map.get(name) ?? []);
    const idempotencyKeys = found(
      this.keys,
      keys.idempotencyKeys.map(({ owner, collection, keyDigest }) =>
        nameOf(owner, collection, hex(keyDigest)),
      ),
    );
    const names = [
      ...keys.records.map(({ collection, id }) => nameOf(collection, id)),
      ...idempotencyKeys.map(({ collection, recordIds }) => nameOf(collection, recordIds)),
    ];
    const { newcomers } = keys;
    return {
      members: [],
      memberCounts: [],
      memberships: [],
      invitations: [],
      consumers: found(
        this.consumers,
        keys.consumers.map(({ id }) => id),
      ),
      spentBudgets: keys.consumers
        .filter(({ id }) => !this.consumers.has(id))
        .flatMap(({ id, former }) =>
          this.spent.filter((one) => hex(one.former) === hex(former())).map((one) => ({ ...one, owner: id })),
        ),
      usage: found(
        this.usage,
        keys.usage.map(({ owner, collection }) => nameOf(owner, collection)),
      ),
      records: found(this.records, names),
      idempotencyKeys,
      proofs: keys.proofs.filter((digest) => this.proofs.has(hex(digest))),
      newcomers:
        newcomers === null
          ? 0
          : Math.min(
              [...this.consumers.values()].filter(
                ({ kind, registeredAt }) => kind === 'user' && registeredAt >= newcomers.since,
              ).length,
              newcomers.atMost,
            ),
    };
  }

  #apply(changes: BatchChanges): void {
    for (const consumer of changes.newConsumers) {
      assert.ok(!this.consumers.has(consumer.id), 'a consumer is registered twice');
      this.consumers.set(consumer.id, consumer);
    }
    this.spent = this.spent.filter(
      ({ former }) => !changes.takenUpBudgets.some((one) => hex(one) === hex(former)),
    );
    for (const { collection, id } of changes.removedRecords)
      assert.ok(this.records.delete(nameOf(collection, id)), 'a record is removed that is not there');
    for (const record of changes.newRecords) {
      const name = nameOf(record.collection, record.id);
      assert.ok(!this.records.has(name), 'a record is inserted that is there');
      this.records.set(name, record);
    }
    for (const record of changes.changedRecords) {
      const name = nameOf(record.collection, record.id);
      assert.ok(this.records.has(name), 'a record is changed that is not there');
      this.records.set(name, record);
    }
    for (const row of changes.newUsage) {
      const name = nameOf(row.owner, row.collection);
      assert.ok(!this.usage.has(name), 'usage is inserted that is there');
      this.usage.set(name, { ...row, records: Math.max(row.records, 0) });
    }
    for (const { moved, ...row } of changes.changedUsage) this.#move(row, moved, row);
    for (const { moved, ...row } of changes.movedUsage) this.#move(row, moved, {});
    for (const key of changes.idempotencyKeys)
      this.keys.set(nameOf(key.owner, key.collection, hex(key.keyDigest)), key);
    for (const { digest, expiresAt } of changes.proofs) {
      assert.ok(!this.proofs.has(hex(digest)), 'a proof is used twice');
      this.proofs.set(hex(digest), expiresAt);
    }
    this.events.push(...changes.events);
  }

  #move(
    { owner, collection }: { owner: string; collection: string },
    moved: number,
    budgets: Partial<Usage>,
  ): void {
    const known = this.usage.get(nameOf(owner, collection));
    if (known === undefined) return;
    const records = Math.max(known.records + moved, 0);
    this.usage.set(nameOf(owner, collection), { ...known, ...budgets, records });
  }
}

function nameOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
