import { useRef } from 'preact/hooks';
import { type BatchOperation, caught } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { ifMatchFor } from './if-match.ts';
import type { WeighedAction } from './weigh-actions.ts';

interface Try {
  readonly records: readonly RecordItem[];
  readonly operations: readonly BatchOperation[];
  readonly idempotencyKey: string;
}

/**
 * Deletes records, or takes an action on them, in one batch: all of them or none. A try that got no answer is repeated with
 * the same operations under the same key, so that it is done once.
 */
export function useBatch(collection: Collection, action: WeighedAction | null) {
  const { api } = useApp();
  const unanswered = useRef<Try | null>(null);
  const { name } = collection;

  const operationOn = async (record: RecordItem): Promise<BatchOperation> => {
    const { id } = record;
    const version = await ifMatchFor(api, collection, record);
    return action === null
      ? { delete: name, id, ...version }
      : { act: action.name, in: name, id, ...version };
  };
  return async (records: readonly RecordItem[]) => {
    const before = unanswered.current;
    const operations =
      before?.records === records ? before.operations : await Promise.all(records.map(operationOn));
    const idempotencyKey = before?.records === records ? before.idempotencyKey : crypto.randomUUID();
    try {
      const results = await api.batch(operations, { idempotencyKey });
      unanswered.current = null;
      return results;
    } catch (error) {
      unanswered.current = caught(error).maybeDone ? { records, operations, idempotencyKey } : null;
      throw error;
    }
  };
}
