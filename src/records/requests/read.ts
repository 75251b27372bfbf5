import { Refusal } from '../../base/errors.ts';
import { answer, type BearerHandler, jsonText } from '../../base/handler.ts';
import { whenReady } from '../../base/now-or-later.ts';
import { type Collection, showsCounts } from '../../collections/collection.ts';
import { mayEver, readableStates } from '../../collections/roles.ts';
import type { RecordContext, StoredRecord, UnderParent } from '../../storage/port.ts';
import { CallerAccess, memberRoles, ownerByParent } from '../caller-access.ts';
import { isNotModified } from '../preconditions.ts';
import { etagOf, isExpired, present, type SeenRecord } from '../present.ts';
import { contextOf, contextsOf, countsFor, countsOf } from './context.ts';
import { type CollectionParts, recordId } from './handler-parts.ts';
import { type ListQuery, linkTo, readListQuery } from './list-query.ts';
import { cursorAt, readCursor, readPage } from './page.ts';

/** GET /<collection>/{id} */
export function readRecord(parts: CollectionParts): BearerHandler {
  const hasCounts = showsCounts(parts.collection);
  const { collection, lineage, store, reads, position, clock } = parts;
  return (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'read');
    const limits = reads.take(access.id);
    // Read before the record, as in a list.
    const at = position();
    const found = store.find(collection.name, recordId(input, limits), access.membersWanted);
    const now = clock.now();
    return whenReady(found, (record) => {
      if (record === null || isExpired(collection, record, now))
        throw new Refusal('not_found', { headers: limits });
      return whenReady(contextOf(lineage, record, { store, caller: access.id, now }), (context) => {
        if (!access.sees(record, context)) throw new Refusal('not_found', { headers: limits });
        const headers = { etag: etagOf(record), ...limits };
        // Roles and counts can change without a new revision.
        if (!collection.isShared && !hasCounts && isNotModified(input, headers.etag))
          return answer(null, '', { status: 304, headers });
        const seen = { ...parts, access, now };
        const followed = {
          'events-position': String(at),
          ...eventsScope(collection, access, placeOf(record, context, seen)),
        };
        return whenReady(countsFor(record, parts), (counts) =>
          jsonText(present(record, context, seen, counts), { headers: { ...followed, ...headers } }),
        );
      });
    });
  };
}

/** The header that says for which changes of the list or record a stream of all events tells this caller nothing. */
function eventsScope(
  { events, isShared, parent, access: { read } }: Collection,
  access: CallerAccess,
  { isEverybodys, parentId }: Pick<ListQuery, 'isEverybodys' | 'parentId'>,
): Record<string, string> {
  if (events === null) return { 'events-scope': 'none' };
  if (access.reachesAll) return {};
  if (isEverybodys) return { 'events-scope': isShared ? 'named' : 'own' };
  const isUnder = parent !== null && parentId !== null && !access.caller.isMachine;
  if (!isUnder || !mayEver(read, ['everyone'])) return {};
  return { 'events-scope': `in=${parent.collection}/${parentId}` };
}

/** The list whose stream has the events of a single record. */
function placeOf(
  { owner }: StoredRecord,
  { parent }: RecordContext,
  { collection, access }: Pick<SeenRecord, 'collection' | 'access'>,
): Pick<ListQuery, 'isEverybodys' | 'parentId'> {
  if (collection.parent !== null) return { isEverybodys: false, parentId: parent?.record.id ?? null };
  const isOfOthers = collection.isShared || owner !== access.id;
  return { isEverybodys: isOfOthers && mayEver(collection.access.read, ['everyone']), parentId: null };
}

/** The records under a parent that this caller can read; null: it cannot read the parent. */
async function underParent(
  id: string,
  { collection, lineage, store, clock }: CollectionParts,
  access: CallerAccess,
): Promise<UnderParent | null> {
  const { parent } = collection;
  if (parent === null) return null;
  const reading = { store, caller: access.id, now: clock.now() };
  // Computed as for a record under it.
  const body = JSON.stringify({ [parent.field]: id });
  const { parent: above } = await contextOf(
    lineage,
    { collection: collection.name, body } as StoredRecord,
    reading,
  );
  const roles = access.rolesUnder(above);
  if (roles === null || !above) return null;
  const isOwner = ownerByParent(lineage, above) === access.id;
  const held = isOwner ? [...roles, 'owner'] : roles;
  const states = readableStates(collection, held);
  const granted = memberRoles(collection).map((role) => {
    return { role, states: readableStates(collection, [...held, role]) };
  });
  const visible = {
    states: states ?? [],
    ownStates: readableStates(collection, [...held, 'owner']),
    member: access.id,
    roles: granted,
  };
  return { field: { name: parent.field, kind: 'text' }, id, visible: states === null ? null : visible };
}

/** GET /<collection> */
export function listRecords(parts: CollectionParts): BearerHandler {
  const { collection, lineage, store, reads, position, clock, path } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'read');
    const query = readListQuery(collection, input.query, access);
    const after = query.cursor === null ? null : readCursor(query.cursor, query, parts, access);
    const headers = reads.take(access.id);
    const expiredAt = collection.limits.expireMs === null ? null : clock.now() - collection.limits.expireMs;
    const members = access.membersWanted;
    const now = clock.now();
    const under = query.parentId === null ? undefined : await underParent(query.parentId, parts, access);
    if (under === null) throw new Refusal('not_found', { headers });
    const asked = { ...query.wanted, collection: collection.name, after, expiredAt, members, under };
    // Read before the records: events may repeat what the list has, but never miss what it lacks.
    const at = {
      'events-position': String(position()),
      ...eventsScope(collection, access, query),
    };
    const page = await readPage(store, asked, collection.limits.bytes);
    const next = page.next === null ? null : cursorAt(page.next, query, parts, access);
    const link = next === null ? {} : { link: `<${path}?${linkTo(query, next)}>; rel="next"` };
    const contexts = await contextsOf(lineage, page.records, { store, caller: access.id, now });
    const tallies = showsCounts(collection)
      ? await store.tallies(
          collection.name,
          page.records.map(({ id }) => id),
        )
      : [];
    const items = page.records.flatMap((record, index) => {
      const context = contexts[index] ?? { members: [] };
      // A record whose parent the caller cannot read is in no list.
      if (collection.parent !== null && !access.sees(record, context)) return [];
      return [present(record, context, { ...parts, access, now }, countsOf(record.id, tallies))];
    });
    return jsonText(`{"items":[${items.join()}],"next":${JSON.stringify(next)}}`, {
      headers: { ...link, ...at, ...headers },
    });
  };
}
