import type { Collection } from '../collections/collection.ts';
import { type BatchRulesData, batchRulesModule } from '../records/rules/write-rules.ts';
import { WriteQueue } from '../records/write-queue.ts';
import type { BaseParts } from './base-parts.ts';

/** The queue of writes, and the rules by which their batches are decided: a module and plain data, for a thread of its own. */
export async function openWrites(
  { config, storage, keyring, metrics, clock }: BaseParts,
  collections: readonly Collection[],
): Promise<WriteQueue> {
  const store = await storage.openBatches({
    module: batchRulesModule,
    data: {
      collections: collections.map(({ checkFields: _, ...plain }) => plain),
      newcomersPerHour: config.newcomersPerHour,
      digestKey: keyring.records,
    } satisfies BatchRulesData,
  });
  return new WriteQueue({ store, clock, onBatch: metrics.countBatch });
}
