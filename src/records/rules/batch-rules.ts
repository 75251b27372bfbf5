import { createKeyedDigest } from '../../base/keyed-digest.ts';
import type { CheckFields, Collection } from '../../collections/collection.ts';
import { lineageOf, parentLinksOf } from '../../collections/lineage.ts';
import type { BatchKeys, BatchRules, Loaded } from '../../storage/port.ts';
import { PeopleNames } from '../people-names.ts';
import { allAsks, askAll, lookFirst } from './asks.ts';
import { formerName } from './budgets.ts';
import { decideAll } from './decide.ts';
import { NotAsked } from './loaded-rows.ts';
import type { Operation } from './operation.ts';

/** Imported by the thread that decides (storage/sqlite/worker.ts). */
export const batchRulesModule = import.meta.url;

/** Plain data, because the rules may be created on another thread. */
export interface BatchRulesData {
  readonly collections: readonly PlainCollection[];
  readonly newcomersPerHour: number;
  readonly digestKey: Uint8Array;
  /** For tests. In a batch of one operation, only a forgotten `ask` leads to rows that are read without being asked for. */
  readonly isStrict?: boolean;
}

type PlainCollection = Omit<Collection, 'checkFields'>;

export async function createBatchRules(data: BatchRulesData, asks = allAsks): Promise<BatchRules> {
  const { newcomersPerHour, isStrict = false } = data;
  const digest = createKeyedDigest(data.digestKey);
  const collections = await withChecks(data.collections);
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  const parents = parentLinksOf(collections);
  const rules = {
    collections: byName,
    lineages: new Map(collections.map((each) => [each.name, lineageOf(each, (name) => byName.get(name))])),
    newcomersPerHour,
    formerOf: (id: string) => formerName(digest, id),
    names: new PeopleNames(digest),
    asks,
  };
  /** The ancestors of named records are loaded with them. */
  const withParents = (keys: BatchKeys | null): BatchKeys | null => {
    if (parents.length === 0 || keys?.records === undefined) return keys;
    const named = new Set(keys.records.flatMap(({ collection }) => rules.lineages.get(collection) ?? []));
    const above = parents.filter(({ child }) => named.has(byName.get(child) as Collection));
    return above.length === 0 ? keys : { ...keys, parents: above };
  };
  return {
    keysOf(given) {
      const operations = given as readonly Operation[];
      return lookFirst(operations, nothing, rules) ?? withParents(askAll(operations, nothing, rules)) ?? {};
    },
    furtherKeys: (operations, loaded) =>
      withParents(askAll(operations as readonly Operation[], loaded, rules)),
    decide(operations, loaded) {
      try {
        return decideAll(operations as readonly Operation[], loaded, rules);
      } catch (error) {
        if (!(error instanceof NotAsked) || (isStrict && operations.length === 1)) throw error;
        return { missing: withParents(error.missing) ?? {} };
      }
    },
  };
}

/** Before the first round. */
const nothing = { asked: {} } as Loaded;

/** Only patches are checked here, so the check is compiled at the first patch. */
async function withChecks(collections: readonly PlainCollection[]): Promise<readonly Collection[]> {
  if (collections.length === 0) return [];
  const { compileCheck } = await import('../../collections/validator.ts');
  return collections.map((collection) => {
    let check: CheckFields | null = null;
    const checkFields: CheckFields = (fields) => {
      check ??= compileCheck(collection.schema, collection.parent);
      return check(fields);
    };
    return { ...collection, checkFields };
  });
}
