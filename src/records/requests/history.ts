import { dateTime } from '../../base/date-time.ts';
import { type BearerHandler, json } from '../../base/handler.ts';
import type { NewHistoryEntry } from '../../storage/port.ts';
import { CallerAccess } from '../caller-access.ts';
import type { CollectionParts } from './handler-parts.ts';
import { readPageParameters } from './list-query.ts';
import { unsealCursor } from './page.ts';
import { seen } from './people.ts';

/** GET /<collection>/{id}/history, oldest first, for all who can read the record. */
export function listHistory(parts: CollectionParts): BearerHandler {
  const { collection, lineage, store, digest } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'read');
    const { record, headers } = await seen(parts, input, access);
    const { limit, cursor } = readPageParameters(input.query);
    const bound = ['history', access.id, collection.name, record.id];
    const n = cursor === null ? 0 : Number(unsealCursor(cursor, bound, parts));
    const found = await store.history(collection.name, [record.id], { recordId: record.id, n }, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const next = found.length > limit && last !== undefined ? digest.seal(String(last.n), ...bound) : null;
    return json({ items: page.map(presentEntry), next }, { headers });
  };
}

export function presentEntry({ at, action, fromState: from, toState: to, role }: NewHistoryEntry) {
  return { at: dateTime(at), action, from, to, by: role };
}
