import { Refusal } from '../../base/errors.ts';
import type { BatchState } from './batch-state.ts';
import { idempotencyMs, usedKey } from './create.ts';
import {
  type BatchResult,
  batchName,
  type CallerBatch,
  type Done,
  type Operation,
  partsOf,
  type RefusedPart,
  type WriteResult,
} from './operation.ts';

export function askBatchKey({ caller, change }: Operation, state: BatchState): void {
  if (change.kind !== 'batch' || change.key === null) return;
  state.idempotencyKey({ owner: caller.id, collection: batchName, keyDigest: change.key.keyDigest });
}

/**
 * POST /batch: each part is decided as if it came alone, right after the one before it, and sees what that has changed. At the first
 * refusal the caller of this function drops what the parts before it have applied.
 */
export function decideParts(
  { parts, key, isCut }: CallerBatch,
  operation: Operation,
  state: BatchState,
  decidePart: (part: Operation) => Done,
): BatchResult {
  const { caller, now } = operation;
  const owned = { owner: caller.id, collection: batchName };
  const used = isCut ? null : usedKey(key, owned, now, state);
  if (used !== null) return { repeated: used.recordIds.split(' ') };
  const results = partsOf(operation).map((part, index) => {
    try {
      return decidePart(part).result as WriteResult;
    } catch (error) {
      throw error instanceof Refusal ? refused({ index, refusal: plain(error) }) : error;
    }
  });
  if (isCut) throw refused({ index: parts.length, refusal: null });
  if (key !== null) {
    const recordIds = parts.flatMap(({ change }) => (change.kind === 'create' ? [change.id] : [])).join(' ');
    state.apply({ idempotencyKey: { ...owned, ...key, recordIds, expiresAt: now + idempotencyMs } });
  }
  return { results };
}

function refused(facts: RefusedPart): Refusal {
  return new Refusal('batch_refused', { facts });
}

/** As it crosses threads. */
function plain({ code, options }: Refusal): RefusedPart['refusal'] {
  const { cause: _, ...own } = options;
  return { code, options: own };
}
