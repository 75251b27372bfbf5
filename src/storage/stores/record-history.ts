import type { RecordStore } from '../port.ts';
import type { Database } from '../schema.ts';

/** Entries per record. A write that exceeds it deletes the oldest ones. */
export const longestHistory = 1_000;

export async function historyOf(
  reader: Database,
  [collection, ids, page]: Parameters<RecordStore['history']>,
): ReturnType<RecordStore['history']> {
  if (ids.length === 0) return [];
  let entries = reader
    .selectFrom('record_history')
    .select(['record_id', 'n', 'at', 'action', 'from_state', 'to_state', 'role'])
    .where('collection', '=', collection)
    .where('record_id', 'in', ids)
    .orderBy('record_id')
    .orderBy('n');
  if (page !== undefined) entries = entries.where('n', '>', page.after).limit(page.limit);
  const rows = await entries.execute();
  return rows.map(({ record_id, n, at, action, from_state, to_state, role }) => {
    return { recordId: record_id, n, at, action, from: from_state, to: to_state, role };
  });
}
