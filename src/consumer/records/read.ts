import { Refusal } from '../../base/errors.ts';
import { answer, type BearerHandler, json } from '../../base/handler.ts';
import type { StoredRecord } from '../../storage/port.ts';
import { Caller } from './caller.ts';
import { cursorFor, readCursor } from './cursor.ts';
import { recordId } from './id.ts';
import { largestPageBytes, linkTo, readListQuery, toRecordQuery } from './list-query.ts';
import type { CollectionParts } from './parts.ts';
import { hasAlready } from './preconditions.ts';
import { etagOf, present } from './present.ts';
import { isExpired } from './writing.ts';

/** GET /<collection>/{id} */
export function readRecord(parts: CollectionParts): BearerHandler {
  const { collection, store, reads, looks, clock } = parts;
  return async (input, principal) => {
    const caller = Caller.admit(collection, principal, 'read');
    // What costs nothing of its budget still costs the database something.
    looks.take(caller.id);
    const record = await store.find(collection.name, recordId(input));
    const isThere = record !== null && !isExpired(collection, record, clock.now()) && caller.sees(record);
    if (isThere && hasAlready(input, etagOf(record)))
      return answer(null, '', { status: 304, headers: { etag: etagOf(record) } });
    const headers = reads.take(caller.id);
    if (!isThere) throw new Refusal('not_found');
    return json(present(collection, record, caller), { headers: { etag: etagOf(record), ...headers } });
  };
}

/** GET /<collection> */
export function listRecords(parts: CollectionParts): BearerHandler {
  const { collection, store, reads, clock, path } = parts;
  return async (input, principal) => {
    const caller = Caller.admit(collection, principal, 'read');
    const query = readListQuery(collection, input.query, caller.horizon === null);
    const after = query.cursor === null ? null : readCursor(query.cursor, query, parts, caller);
    const headers = reads.take(caller.id);
    const expiredAt = collection.limits.expireMs === null ? null : clock.now() - collection.limits.expireMs;
    const wanted = toRecordQuery(query, { collection, owner: caller.horizon, after, expiredAt });
    // One more than is shown tells whether there is a next page.
    const found = await store.list({ ...wanted, limit: query.limit + 1 });
    const shown = firstBytes(found.slice(0, query.limit));
    const last = shown.at(-1);
    const next =
      found.length > shown.length && last !== undefined ? cursorFor(last, query, parts, caller) : null;
    const link = next === null ? {} : { link: `<${path}?${linkTo(query, next)}>; rel="next"` };
    const items = shown.map((record) => present(collection, record, caller));
    return json({ items, next }, { headers: { ...link, ...headers } });
  };
}

/** As many as fit on a page; at least one. */
function firstBytes(records: readonly StoredRecord[]): readonly StoredRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ body }, at) => {
    bytes += body.length;
    return at > 0 && bytes > largestPageBytes;
  });
  return end === -1 ? records : records.slice(0, end);
}
