import { Buffer } from 'node:buffer';
import type { BatchKeys, Loaded } from '../../storage/port.ts';

type Lookup = Exclude<keyof Loaded, 'asked'>;
type KeyOf<Name extends Lookup> = NonNullable<BatchKeys[Name]>[number];
type Row<Name extends Lookup> = Loaded[Name][number];

/** A rule has read rows that were not asked for. They have to be loaded before the batch can be decided. */
export class NotAsked extends Error {
  readonly missing: BatchKeys;

  constructor(lookup: string, missing: BatchKeys) {
    super(`A rule has read rows of the lookup "${lookup}" that no rule has asked for.`);
    this.missing = missing;
  }
}

/** The rows that were loaded for a batch. Reading what was not asked for asks for it, or fails. */
export class LoadedRows {
  readonly #loaded: Loaded;
  readonly #isAsking: boolean;
  readonly #found = new Map<Lookup, Map<string, object[]>>();
  readonly #asked = new Map<Lookup, Set<string>>();
  readonly #missing = new Map<Lookup, Map<string, object>>();

  constructor(loaded: Loaded, { isAsking }: { readonly isAsking: boolean }) {
    this.#loaded = loaded;
    this.#isAsking = isAsking;
  }

  /** The rows with this key; none if they are not loaded yet. */
  find<Name extends Lookup>(lookup: Name, key: KeyOf<Name>): readonly Row<Name>[] {
    const name = names[lookup](key);
    const found = this.#rowsOf(lookup).get(name);
    if (found !== undefined) return found as readonly Row<Name>[];
    if (this.#isAsked(lookup, name)) return none;
    if (!this.#isAsking) throw new NotAsked(lookup, { [lookup]: [key] });
    const missing = this.#missing.get(lookup) ?? new Map<string, object>();
    this.#missing.set(lookup, missing.set(name, key));
    return none;
  }

  first<Name extends Lookup>(lookup: Name, key: KeyOf<Name>): Row<Name> | null {
    return this.find(lookup, key)[0] ?? null;
  }

  /** A row, if it was loaded, whether or not it was asked for: ancestors are loaded with a record. */
  peek<Name extends Lookup>(lookup: Name, key: KeyOf<Name>): Row<Name> | null {
    return (this.#rowsOf(lookup).get(names[lookup](key))?.[0] as Row<Name> | undefined) ?? null;
  }

  /** True if it is known whether there is such a row. */
  isKnown<Name extends Lookup>(lookup: Name, key: KeyOf<Name>): boolean {
    return this.#isAsked(lookup, names[lookup](key));
  }

  /** The keys that were read and are not loaded yet; null: none. Each key is asked for once. */
  get missing(): BatchKeys | null {
    if (this.#missing.size === 0) return null;
    return Object.fromEntries([...this.#missing].map(([lookup, keys]) => [lookup, [...keys.values()]]));
  }

  #rowsOf(lookup: Lookup): ReadonlyMap<string, object[]> {
    const known = this.#found.get(lookup);
    if (known !== undefined) return known;
    const loaded: readonly object[] = this.#loaded[lookup] ?? [];
    // Waiting records are records, too.
    const all = lookup === 'records' ? [...loaded, ...(this.#loaded.waiting ?? [])] : loaded;
    const rows = Map.groupBy(all, names[lookup] as (row: object) => string);
    this.#found.set(lookup, rows);
    return rows;
  }

  #isAsked(lookup: Lookup, name: string): boolean {
    const keys: readonly object[] | undefined = this.#loaded.asked[lookup];
    if (keys === undefined) return false;
    const asked = this.#asked.get(lookup) ?? new Set(keys.map(names[lookup] as (key: object) => string));
    this.#asked.set(lookup, asked);
    return asked.has(name);
  }
}

const none: readonly never[] = [];

/** One text for a key and for the rows that have it. No part contains NUL, and values in JSON come last. */
const names: { readonly [Name in Lookup]: (of: KeyOf<Name> | Row<Name>) => string } = {
  codes: ({ digest }) => digestText(digest),
  consumers: ({ id }) => id,
  proofs: ({ digest }) => digestText(digest),
  records: ({ collection, id }) => `${collection}\0${id}`,
  waiting: ({ collection, parentId, state }) => `${collection}\0${parentId}\0${state}`,
  spentBudgets: ({ former }) => digestText(former),
  usage: ({ owner, collection }) => `${owner}\0${collection}`,
  idempotencyKeys: ({ owner, collection, keyDigest }) => `${owner}\0${collection}\0${digestText(keyDigest)}`,
  invitations: ({ digest }) => digestText(digest),
  members: ({ collection, recordId, role, member }) => `${collection}\0${recordId}\0${role}\0${member}`,
  holders: ({ collection, recordId, role }) => `${collection}\0${recordId}\0${role}`,
  membersByAlias: ({ collection, recordId, alias }) => `${collection}\0${recordId}\0${digestText(alias)}`,
  memberCounts: ({ collection, recordId }) => `${collection}\0${recordId}`,
  memberships: ({ member, collection }) => `${member}\0${collection}`,
  tallies: ({ collection, recordId, child }) => `${collection}\0${recordId}\0${child}`,
  unique: (of) => `${of.collection}\0${of.rule}\0${'key' in of ? of.key : JSON.stringify(of.values)}`,
  children: ({ collection, parentId }) => `${collection}\0${parentId}`,
  newcomers: () => '',
};

export function nameOf<Name extends Lookup>(lookup: Name, of: KeyOf<Name> | Row<Name>): string {
  return names[lookup](of);
}

export function digestText(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');
}
