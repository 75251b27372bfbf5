import { Refusal } from '../../base/errors.ts';
import {
  answer,
  type BearerHandler,
  type Input,
  json,
  jsonText,
  recordId,
  whenReady,
} from '../../base/handler.ts';
import type { Collection } from '../../collections/collection.ts';
import { ownerByParent } from '../../collections/lineage.ts';
import { mayEver, readableStates } from '../../collections/roles.ts';
import type {
  RecordContext,
  RecordQuery,
  RecordWithMembers,
  StoredRecord,
  UnderParent,
} from '../../storage/port.ts';
import { CallerAccess, memberRoles } from '../caller-access.ts';
import { isNotModified } from '../preconditions.ts';
import {
  contextOf,
  contextsOf,
  countsFor,
  countsForEach,
  etagOf,
  isExpired,
  present,
  type SeenRecord,
} from '../present.ts';
import type { CollectionParts } from './handler-parts.ts';
import { type ListQuery, largestPage, linkTo, readCountQuery, readListQuery } from './list-query.ts';
import {
  type Counted,
  countMatching,
  countRecords,
  cursorAt,
  readCursor,
  readPage,
  searchPage,
} from './page.ts';
import { matcher } from './search-words.ts';

/** GET /<collection>/{id} */
export function readRecord(parts: CollectionParts): BearerHandler {
  const hasCounts = parts.collection.showsCounts;
  const { collection, lineage, store, reads, tail, clock } = parts;
  return (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'read');
    const limits = reads.take(access.id);
    // Read before the record, as in a list.
    const at = tail.last;
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

/**
 * The header `events-scope` tells the client which stream has the changes of a list or record. Missing: the caller's own stream has all of
 * them; `none`: the collection has no events; `own` and `named`: of others' records none, or only those of `in=`; `in=...`: with this `in`.
 */
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

/** The list that a record counts as part of for its `events-scope`: the list under its parent, everybody's, or the caller's own. */
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
  const { parent: above } = await contextOf(lineage, { parentId: id }, reading);
  const roles = access.rolesUnder(above);
  if (roles === null || !above) return null;
  const isOwner = ownerByParent(lineage, above) === access.id;
  const held = isOwner ? [...roles, 'owner'] : roles;
  const states = readableStates(collection, held);
  // With `owned_by: parent` the rows of a former owner may still name it: what the owner reads is in `held`.
  const ownRoles = parent.ownedBy === 'parent' ? [] : [...held, 'owner'];
  const granted = memberRoles(collection).map((role) => {
    return { role, states: readableStates(collection, [...held, role]) };
  });
  const visible = {
    states: states ?? [],
    ownStates: readableStates(collection, ownRoles),
    member: access.id,
    roles: granted,
  };
  return { id, visible: states === null ? null : visible };
}

/** What a request for a list asks for, and the storage for it. */
async function askedFor(
  input: Input,
  caller: Parameters<BearerHandler>[1],
  parts: CollectionParts,
  readQuery: typeof readListQuery,
) {
  const { collection, lineage, reads, store, clock } = parts;
  const access = CallerAccess.admit(lineage, caller, 'read');
  // Counted first: a query that is refused takes time, too.
  const headers = reads.take(access.id);
  const query = readQuery(collection, input.query, access);
  const after = query.cursor === null ? null : readCursor(query.cursor, query, parts, access);
  const now = clock.now();
  const expiredAt = collection.limits.expireMs === null ? null : now - collection.limits.expireMs;
  const members = access.membersWanted;
  const under = query.parentId === null ? undefined : await underParent(query.parentId, parts, access);
  if (under === null) throw new Refusal('not_found', { headers });
  const wanted: RecordQuery = {
    ...query.wanted,
    collection: collection.name,
    after,
    expiredAt,
    members,
    under,
  };
  const charge = reads.meter(access.id);
  const giveWay = (examined: number) => {
    charge(examined);
    return input.giveWay();
  };
  const scan = { store, wanted, recordBytes: collection.limits.bytes, giveWay };
  return { access, query, scan, headers, now };
}

type Asked = Awaited<ReturnType<typeof askedFor>>;

/** GET /<collection> */
export function listRecords(parts: CollectionParts): BearerHandler {
  const { collection, store, tail, path } = parts;
  return async (input, caller) => {
    const asked = await askedFor(input, caller, parts, readListQuery);
    const { access, query, headers, now } = asked;
    // Read before the records: events may repeat what the list has, but never miss what it lacks.
    const at = {
      'events-position': String(tail.last),
      ...eventsScope(collection, access, query),
    };
    const page = await pageFor(asked, parts);
    const next = page.next === null ? null : cursorAt(page.next, query, parts, access);
    const link = next === null ? {} : { link: `<${path}?${linkTo(query, next)}>; rel="next"` };
    const counted = page.shown.map(({ record }) => ({ record, collection }));
    const countsOf = await countsForEach(counted, store);
    const items = page.shown.map(({ record, context }) =>
      present(record, context, { ...parts, access, now }, countsOf(record)),
    );
    return jsonText(`{"items":[${items.join()}],"next":${JSON.stringify(next)}}`, {
      headers: { ...link, ...at, ...headers },
    });
  };
}

function pageFor(asked: Asked, parts: CollectionParts) {
  const { query, scan } = asked;
  const { name, search } = parts.collection;
  const show = (records: readonly RecordWithMembers[]) => seenBy(asked, records, parts);
  if (query.words === null) return readPage(scan, show);
  const showFound = async (ids: readonly string[]) => {
    const found = await parts.store.findAll(name, ids, scan.wanted.members);
    const byId = new Map(found.map((record) => [record.id, record]));
    return show(ids.flatMap((id) => byId.get(id) ?? []));
  };
  return searchPage(scan, matcher(query.words, search), showFound);
}

/** The records that the caller can read, which is not always known without the record above. */
async function seenBy(
  { access, query, now }: Asked,
  records: readonly RecordWithMembers[],
  { collection, lineage, store }: CollectionParts,
) {
  const contexts = await contextsOf(lineage, records, { store, caller: access.id, now });
  const placed = records.map((record, index) => ({ record, context: contexts[index] ?? { members: [] } }));
  // A record that was searched for may have changed since.
  const isKnown = collection.parent === null && query.words === null;
  return isKnown ? placed : placed.filter(({ record, context }) => access.sees(record, context));
}

/** GET /<collection>/count */
export function countList(parts: CollectionParts): BearerHandler {
  return async (input, caller) => {
    const asked = await askedFor(input, caller, parts, readCountQuery);
    const { count, isWhole } = await countFor(asked, parts);
    return json(isWhole ? { count } : { at_least: count }, { headers: asked.headers });
  };
}

/** Without a parent the storage finds what the caller can read, and under one parent, too. */
async function countFor(asked: Asked, parts: CollectionParts): Promise<Counted> {
  const { query, scan } = asked;
  const { collection } = parts;
  const isFound = collection.parent === null || query.parentId !== null;
  if (isFound && query.words === null) return countRecords(scan);
  const matches = query.words === null ? () => true : matcher(query.words, collection.search);
  const count = (ids: readonly string[]) => (isFound ? ids.length : countSeen(ids, asked, parts));
  return countMatching(scan, matches, count);
}

async function countSeen(ids: readonly string[], asked: Asked, parts: CollectionParts): Promise<number> {
  let count = 0;
  for (let from = 0; from < ids.length; from += largestPage) {
    const some = ids.slice(from, from + largestPage);
    const records = await parts.store.findAll(parts.collection.name, some, asked.scan.wanted.members);
    count += (await seenBy(asked, records, parts)).length;
    await asked.scan.giveWay(0);
  }
  return count;
}
