import type { BatchRules } from '../../../storage/port.ts';
import { type CollectionFile, readCollections } from '../../collections/read-collections.ts';
import { createKeyedDigest } from '../keyed-digest.ts';
import { keysOf } from './batch-keys.ts';
import { decideAll, type WriteRules } from './decide.ts';
import type { Operation } from './operation.ts';
import { formerName } from './spent-budgets.ts';

/** What the rules are made from: plain data, since they may be made on another thread (storage/sqlite/worker.ts). */
export interface BatchRulesData {
  readonly declarations: readonly CollectionFile[];
  /** What every address of a collection begins with. */
  readonly prefix: string;
  readonly newcomersPerHour: number;
  /** For `formerName`. */
  readonly digestKey: Uint8Array;
}

/** The rules of writes for `BatchStore`. */
export function createBatchRules(data: BatchRulesData): BatchRules {
  const { declarations, prefix, newcomersPerHour } = data;
  const digest = createKeyedDigest(data.digestKey);
  const collections = new Map(
    readCollections(declarations).map((collection) => [collection.name, collection]),
  );
  const rules: WriteRules = {
    collections,
    newcomersPerHour,
    pathOf: (name) => `${prefix}/${name}`,
    formerOf: (id) => formerName(digest, id),
  };
  return {
    keysOf: (operations) => keysOf(operations as readonly Operation[], rules),
    decide: (operations, loaded) => decideAll(operations as readonly Operation[], loaded, rules),
  };
}
