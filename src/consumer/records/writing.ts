import { Refusal } from '../../base/errors.ts';
import type { Consumer, RecordTransaction, StoredRecord, Usage } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';
import { asOfNow, charge, rateHeaders, writeBudget } from './budgets.ts';
import type { Caller } from './caller.ts';
import type { CollectionWriteParts } from './parts.ts';
import { formerName } from './spent-budgets.ts';

/** One write of one caller, in one transaction: what it finds, what it costs, what is left of the budget. */
export class Writing {
  readonly transaction: RecordTransaction;
  readonly now: number;
  readonly #parts: CollectionWriteParts;
  readonly #caller: Caller;
  readonly #writer: Consumer;
  readonly #usage: Usage;
  #headers: Record<string, string> = {};

  constructor(
    parts: CollectionWriteParts,
    caller: Caller,
    writer: Consumer,
    usage: Usage,
    transaction: RecordTransaction,
  ) {
    this.transaction = transaction;
    this.now = parts.clock.now();
    this.#parts = parts;
    this.#caller = caller;
    this.#writer = writer;
    this.#usage = usage;
  }

  /** The headers that show what the write has left of the caller's budget. */
  get headers(): Record<string, string> {
    return this.#headers;
  }

  /** A record that the caller may change; for all that it must not know of, there is none. */
  async find(id: string): Promise<StoredRecord> {
    const { collection } = this.#parts;
    const record = await this.transaction.find(collection.name, id);
    if (record === null || isExpired(collection, record, this.now) || !this.#caller.sees(record))
      throw new Refusal('not_found');
    if (!this.#caller.mayChange(record)) throw new Refusal('not_owner');
    return record;
  }

  /** Counts the write, and the records that it adds to the caller's own or takes from them. */
  async charge(addedRecords: number): Promise<void> {
    const { collection } = this.#parts;
    const { id, isMachine } = this.#caller;
    const usage = this.#usage;
    if (isMachine) {
      const records = usage.records + addedRecords;
      if (addedRecords !== 0)
        void this.transaction.setUsage(id, collection.name, usage, { ...usage, records });
      return;
    }
    const { registeredAt } = this.#writer;
    const writer = { registeredAt, now: this.now };
    const after = charge(collection.limits, usage, writer, addedRecords);
    await this.#checkSurge();
    void this.transaction.setUsage(id, collection.name, usage, after);
    this.#headers = rateHeaders('writes', writeBudget(collection.limits, after, this.now), this.now);
  }

  /** When a crowd comes in at once, only those who are new wait: whoever was here before notices nothing. */
  async #checkSurge(): Promise<void> {
    const { newcomersPerHour, collection } = this.#parts;
    const newFor = collection.limits.newcomer?.forMs ?? dayMs;
    if (newcomersPerHour === 0 || this.now >= this.#writer.registeredAt + newFor) return;
    const newcomers = await this.transaction.countNewcomers(this.now - hourMs, newcomersPerHour + 1);
    if (newcomers > newcomersPerHour) throw new Refusal('newcomers_paused', { retryAfterSeconds: 600 });
  }
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Runs a write of a caller, who is registered if nobody has seen it yet. All of it happens or none does. */
export function write<T>(
  parts: CollectionWriteParts,
  caller: Caller,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  return parts.turns.take(caller.id, () => writeNow(parts, caller, work));
}

async function writeNow<T>(
  parts: CollectionWriteParts,
  caller: Caller,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  const { collection, consumers, store, digest, clock } = parts;
  for (let attempt = 1; ; attempt++) {
    const done = await store.write(async (transaction) => {
      const [writer, usage] = await Promise.all([
        transaction.lockConsumer(caller.id),
        transaction.usage(caller.id, collection.name),
      ]);
      if (writer === null) return 'unknown';
      const settled = asOfNow(collection.limits, usage, clock.now());
      if (settled !== usage) {
        // Committed by itself: were the write refused, it would be undone, and be found again by the next one.
        await transaction.setUsage(caller.id, collection.name, usage, settled);
        return 'settled';
      }
      return { result: await work(new Writing(parts, caller, writer, usage, transaction)) };
    });
    if (typeof done === 'object') return done.result;
    if (attempt === mostAttempts) break;
    // Nobody has seen the caller yet, or it was erased and begins anew.
    if (done === 'unknown')
      await consumers.register(caller.id, caller.kind, clock.now(), formerName(digest, caller.id));
  }
  throw new Refusal('storage_unavailable', { detail: 'the caller is being erased' });
}

/** One may find the caller missing, and the next that it was erased meanwhile. */
const mostAttempts = 3;

export function isExpired({ limits }: Collection, { updatedAt }: StoredRecord, now: number): boolean {
  return limits.expireMs !== null && updatedAt + limits.expireMs <= now;
}
