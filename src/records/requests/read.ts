import { Refusal } from '../../base/errors.ts';
import { answer, type BearerHandler, jsonText } from '../../base/handler.ts';
import { whenReady } from '../../base/now-or-later.ts';
import type { Collection } from '../../collections/collection.ts';
import { CallerAccess } from '../caller-access.ts';
import { hasAlready } from '../preconditions.ts';
import { etagOf, isExpired, present } from '../present.ts';
import { type CollectionParts, recordId } from './handler-parts.ts';
import { linkTo, readListQuery } from './list-query.ts';
import { cursorAt, readCursor, readPage } from './page.ts';

/** GET /<collection>/{id} */
export function readRecord(parts: CollectionParts): BearerHandler {
  const { collection, store, reads, clock, names } = parts;
  return (input, caller) => {
    const access = CallerAccess.admit(collection, caller, 'read');
    const limits = reads.take(access.id);
    const found = store.find(collection.name, recordId(input, limits), access.membersWanted);
    return whenReady(found, (record) => {
      const isThere =
        record !== null &&
        !isExpired(collection, record, clock.now()) &&
        access.sees(record, record.members ?? []);
      if (!isThere) throw new Refusal('not_found', { headers: limits });
      const headers = { etag: etagOf(record), ...limits };
      // Roles can change without a new revision.
      if (!collection.isShared && hasAlready(input, headers.etag))
        return answer(null, '', { status: 304, headers });
      return jsonText(present(record, record.members ?? [], { collection, access, names }), { headers });
    });
  };
}

/** The header that says for which changes of the list this caller gets no events. */
function eventsScope(
  { events, isShared }: Collection,
  access: CallerAccess,
  isEverybodys: boolean,
): Record<string, string> {
  if (events === null) return { 'events-scope': 'none' };
  if (!isEverybodys || access.reachesAll) return {};
  return { 'events-scope': isShared ? 'named' : 'own' };
}

/** GET /<collection> */
export function listRecords(parts: CollectionParts): BearerHandler {
  const { collection, store, reads, position, clock, names, path } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(collection, caller, 'read');
    const query = readListQuery(collection, input.query, access);
    const after = query.cursor === null ? null : readCursor(query.cursor, query, parts, access);
    const headers = reads.take(access.id);
    const expiredAt = collection.limits.expireMs === null ? null : clock.now() - collection.limits.expireMs;
    const members = access.membersWanted;
    const asked = { ...query.wanted, collection: collection.name, after, expiredAt, members };
    // Read before the records: events may repeat what the list has, and never miss what it lacks.
    const at = {
      'events-position': String(position()),
      ...eventsScope(collection, access, query.isEverybodys),
    };
    const page = await readPage(store, asked, collection.limits.bytes);
    const next = page.next === null ? null : cursorAt(page.next, query, parts, access);
    const link = next === null ? {} : { link: `<${path}?${linkTo(query, next)}>; rel="next"` };
    const items = page.records
      .map((record) => present(record, record.members ?? [], { collection, access, names }))
      .join();
    return jsonText(`{"items":[${items}],"next":${JSON.stringify(next)}}`, {
      headers: { ...link, ...at, ...headers },
    });
  };
}
