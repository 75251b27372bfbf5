import { tables } from '../batch/tables.ts';
import type { RecordStore, StoredHistoryEntry } from '../port.ts';
import { columnsOf, type Database } from '../schema.ts';

export async function historyOf(
  reader: Database,
  [collection, ids, page]: Parameters<RecordStore['history']>,
): ReturnType<RecordStore['history']> {
  if (ids.length === 0) return [];
  let entries = reader
    .selectFrom('record_history')
    .select(columnsOf(tables.record_history))
    .$castTo<StoredHistoryEntry>()
    .where('collection', '=', collection)
    .where('record_id', 'in', ids)
    .orderBy('record_id')
    .orderBy('n');
  if (page !== undefined) entries = entries.where('n', '>', page.after).limit(page.limit);
  return entries.execute();
}
