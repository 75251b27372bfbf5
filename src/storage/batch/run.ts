import { Buffer } from 'node:buffer';
import type { BatchRules, Outcome } from '../port/batch.ts';
import type { Lookup } from './table.ts';
import { type BatchChanges, type BatchKeys, type Loaded, lookups } from './tables.ts';

export type Rows = Omit<Loaded, 'asked'>;

export interface Decided {
  readonly changes: BatchChanges;
  readonly outcomes: readonly Outcome[];
  /** The lookups by which rows were loaded that the rules had not asked for. */
  readonly reloaded: readonly string[];
}

/** Thrown if a row has to be locked that was not asked for: the order of locks begins with the transaction. */
export class LocksMissing extends Error {
  override readonly name = 'LocksMissing';
  readonly keys: BatchKeys;

  constructor(keys: BatchKeys) {
    super('a row was not locked');
    this.keys = keys;
  }
}

const names = Object.keys(lookups) as (keyof Rows)[];
const noRows = Object.fromEntries(names.map((name) => [name, []])) as unknown as Rows;
/** A rule that asks for something else each time would never end. */
const maxReloads = 20;

/**
 * The rounds of a batch, for every database: yields what to load, and returns what to write. `also`: more keys for the first round.
 * `canLock`: whether rows can still be locked after the first round.
 */
export function* decideInRounds(
  rules: BatchRules,
  operations: readonly unknown[],
  { also = {}, canLock }: { readonly also?: BatchKeys; readonly canLock: boolean },
): Generator<BatchKeys, Decided, Rows> {
  const asked = new AskedKeys();
  let loaded: Loaded = { ...noRows, asked: asked.all };
  let keys: BatchKeys | null = asked.add(rules.keysOf(operations), also);
  for (let round = 1; keys !== null; round += 1) {
    loaded = withRows(loaded, yield keys, asked.all);
    const further = rules.furtherKeys(operations, loaded, round);
    keys = further && asked.add(further);
  }
  const reloaded: string[] = [];
  for (let count = 0; ; count += 1) {
    const decision = rules.decide(operations, loaded);
    if ('changes' in decision) return { ...decision, reloaded };
    const { missing } = decision;
    const missed = names.filter((name) => (missing[name]?.length ?? 0) > 0);
    if (count === maxReloads) throw new Error(`rules ask again and again for ${missed.join(', ')}`);
    if (!canLock && missed.some((name) => lookups[name].isLocked)) throw new LocksMissing(missing);
    reloaded.push(...missed);
    loaded = withRows(loaded, yield asked.add(missing), asked.all);
  }
}

/** Repeats what failed for a reason that passes, and what lacked locks with more keys. */
export async function decideWithRetries(
  attempt: (also: BatchKeys) => Promise<Decided>,
  canRetry: (error: unknown, attempt: number) => boolean,
): Promise<Decided> {
  const missing = new AskedKeys();
  const reloaded: string[] = [];
  for (let count = 1; ; count += 1) {
    try {
      const decided = await attempt(missing.all);
      return { ...decided, reloaded: [...reloaded, ...decided.reloaded] };
    } catch (error) {
      if (error instanceof LocksMissing && reloaded.length < maxReloads) {
        reloaded.push(...Object.keys(missing.add(error.keys)));
      } else if (!canRetry(error, count)) throw error;
    }
  }
}

function withRows(loaded: Loaded, found: Rows, asked: BatchKeys): Loaded {
  const all: Record<string, unknown> = { ...loaded, asked };
  for (const name of names) {
    const more = found[name];
    if (more.length > 0) all[name] = loaded[name].length === 0 ? more : [...loaded[name], ...more];
  }
  return all as unknown as Loaded;
}

type KeyLists = Record<string, readonly object[]>;

/** The keys of all rounds, each once. */
class AskedKeys {
  all: BatchKeys = {};
  readonly #known = new Map<string, Set<string>>();

  /** Returns the keys that are new. */
  add(...more: readonly BatchKeys[]): BatchKeys {
    const fresh: KeyLists = {};
    for (const keys of more)
      for (const [name, list] of Object.entries(keys as KeyLists)) {
        const added = list.length === 0 ? list : this.#new(name, list);
        if (added.length > 0) fresh[name] = [...(fresh[name] ?? []), ...added];
      }
    const all = this.all as KeyLists;
    this.all = { ...all };
    for (const [name, list] of Object.entries(fresh))
      (this.all as KeyLists)[name] = [...(all[name] ?? []), ...list];
    return fresh.parents === undefined && this.all.parents !== undefined
      ? { ...fresh, parents: this.all.parents }
      : fresh;
  }

  #new(name: string, list: readonly object[]): readonly object[] {
    const known = this.#known.get(name) ?? new Set();
    this.#known.set(name, known);
    return list.filter((key) => {
      const text = textOf(name, key);
      if (known.has(text)) return false;
      known.add(text);
      return true;
    });
  }
}

function textOf(name: string, key: object): string {
  const lookup = (lookups as Readonly<Record<string, Lookup>>)[name];
  if (lookup === undefined || lookup.how === 'special') return JSON.stringify(key);
  // No name contains NUL.
  return lookup.by.map((one) => textOfValue((key as Readonly<Record<string, unknown>>)[one])).join('\0');
}

function textOfValue(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
