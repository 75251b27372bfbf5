import { Buffer } from 'node:buffer';
import { Refusal } from '../../base/errors.ts';
import type { NowOrLater } from '../../base/handler.ts';
import type {
  FieldValue,
  Place,
  RecordQuery,
  RecordStore,
  RecordText,
  RecordWithMembers,
  StoredRecord,
} from '../../storage/port.ts';
import type { CallerAccess } from '../caller-access.ts';
import { fieldsOf } from '../present.ts';
import type { CollectionParts } from './handler-parts.ts';
import { type ListQuery, largestPage, nameOf } from './list-query.ts';

/** A page ends before it exceeds this many bytes. */
export const largestPageBytes = 1_048_576;
/** Limits of what one page scans: records and bytes. */
export const maxExamined = 2_000;
const maxExaminedBytes = 33_554_432;

type Store = Pick<RecordStore, 'list' | 'sizes' | 'placeAfter' | 'hasExpired'>;

/** A list and how it is read: in pieces, with a turn of other callers after each. */
interface Scan<Methods extends keyof RecordStore> {
  readonly store: Pick<RecordStore, Methods>;
  readonly wanted: RecordQuery;
  /** How long a record of the collection may be. */
  readonly recordBytes: number;
  /** Charges the caller for further examined records, and lets others come first. */
  readonly giveWay: (examined: number) => NowOrLater<void>;
}

export interface Page<Shown> {
  readonly shown: readonly Shown[];
  /** The place after which there may be more; null: this was the end of the list. */
  readonly next: Place | null;
}

/** The records that the caller can read, with what is needed to present them. */
type Show<Item, Shown> = (items: readonly Item[]) => Promise<readonly Shown[]>;

/**
 * One page at bounded cost: without an index only this many records are scanned, so a short page may have a `next`. Records that the caller
 * cannot read take no place on the page: otherwise `next` would tell of them.
 */
export async function readPage<Shown extends { readonly record: StoredRecord }>(
  { store, wanted, recordBytes, giveWay }: Scan<keyof Store>,
  show: Show<RecordWithMembers, Shown>,
): Promise<Page<Shown>> {
  const looks = Math.min(maxExamined, Math.max(Math.floor(maxExaminedBytes / recordBytes), 1));
  // The end of the list is fixed before the records are read: concurrent writes are neither skipped nor shown twice.
  const passesOver = !isInOrder(wanted) || (await hasExpired(store, wanted));
  const until = passesOver ? await store.placeAfter(wanted, looks) : null;
  if (until !== null) await giveWay(looks);
  const shown: Shown[] = [];
  let bytes = 0;
  let examined = 0;
  let { after } = wanted;
  for (let maxRows = wanted.limit; ; maxRows = Math.min(maxRows * 4, largestPage)) {
    const limit = await howManyFit(store, { ...wanted, after, until, limit: maxRows }, recordBytes);
    const found = await store.list({ ...wanted, after, until, limit: limit + 1 });
    for (const one of await show(found)) {
      bytes += Buffer.byteLength(one.record.body);
      const last = shown.at(-1);
      if (last && (shown.length === wanted.limit || bytes > largestPageBytes))
        return { shown, next: placeOf(last.record, wanted) };
      shown.push(one);
    }
    const last = found.at(-1);
    if (found.length <= limit || last === undefined) return { shown, next: until };
    after = placeOf(last, wanted);
    examined += found.length;
    if (examined >= looks) return { shown, next: after };
    await giveWay(found.length);
  }
}

/** Bodies that are read at once. */
const maxBytesAtOnce = 4_194_304;

/**
 * Visits the records of a list, until `visit` says no or so many of them, or of their bytes, were looked at. Returns the place after
 * which there may be more; null: this was the end of the list.
 */
async function visitRecords(
  { store, wanted, recordBytes, giveWay }: Scan<'placeAfter' | 'bodies'>,
  atMost: number,
  visit: (text: RecordText) => boolean | Promise<boolean>,
): Promise<Place | null> {
  const until = await store.placeAfter(wanted, atMost);
  let limit = Math.min(atMost, Math.max(Math.floor(maxBytesAtOnce / recordBytes), 1));
  let { after } = wanted;
  let bytes = 0;
  for (;;) {
    const some = await store.bodies({ ...wanted, after, until, limit });
    for (const text of some) {
      after = { value: text.value, id: text.id };
      bytes += Buffer.byteLength(text.body);
      const goesOn = visit(text);
      if (goesOn !== true && !(await goesOn)) return after;
      if (bytes > largestPageBytes) return after;
      const pause = giveWay(1);
      if (pause !== undefined) await pause;
    }
    if (some.length < limit) return until;
    // Most records are much smaller than they may be.
    limit = Math.min(atMost, limit * 4);
  }
}

type Matches = (body: string) => boolean;

/** A page of the records that match. Only so many are looked at, so a short page may have a `next`. */
export async function searchPage<Shown extends { readonly record: StoredRecord }>(
  scan: Scan<'placeAfter' | 'bodies'>,
  matches: Matches,
  show: Show<string, Shown>,
): Promise<Page<Shown>> {
  const { wanted } = scan;
  const shown: Shown[] = [];
  let ids: string[] = [];
  let atOnce = wanted.limit + 1;
  const showFound = async () => {
    if (ids.length > 0) shown.push(...(await show(ids)));
    ids = [];
    atOnce = Math.min(atOnce * 4, largestPage);
    return shown.length <= wanted.limit;
  };
  const end = await visitRecords(scan, maxExamined, ({ id, body }) => {
    if (matches(body)) ids.push(id);
    return ids.length < atOnce || showFound();
  });
  if (await showFound()) return { shown, next: end };
  const page = shown.slice(0, wanted.limit);
  return { shown: page, next: placeOf((page.at(-1) as Shown).record, wanted) };
}

export interface Counted {
  readonly count: number;
  /** False if there may be more. */
  readonly isWhole: boolean;
}

/** How many records a list has among those that are looked at. */
export async function countRecords({
  store,
  wanted,
  giveWay,
}: Scan<'placeAfter' | 'count'>): Promise<Counted> {
  const limit = maxExamined + 1;
  const until = await store.placeAfter(wanted, limit);
  const count = await store.count({ ...wanted, until, limit });
  await giveWay(until === null ? count : limit);
  return { count: Math.min(count, maxExamined), isWhole: until === null };
}

/** The same for those that match, and of which `countSeen` says how many the caller can read. */
export async function countMatching(
  scan: Scan<'placeAfter' | 'bodies'>,
  matches: Matches,
  countSeen: (ids: readonly string[]) => number | Promise<number>,
): Promise<Counted> {
  const ids: string[] = [];
  const end = await visitRecords(scan, maxExamined + 1, ({ id, body }) => {
    if (matches(body)) ids.push(id);
    return true;
  });
  return { count: Math.min(await countSeen(ids), maxExamined), isWhole: end === null };
}

/** True if the sort order alone finds all matches. list-query.ts ensures it for a list of all owners. */
function isInOrder({ owner, state, states, memberOf, under, conditions, sort }: RecordQuery): boolean {
  if (owner === null && memberOf === undefined && under === undefined) return true;
  if (under && under.visible !== null) return false;
  if (states !== undefined || memberOf?.roles.some((one) => one.states !== null)) return false;
  return state === null && conditions.every(({ field }) => nameOf(field) === nameOf(sort.field));
}

/** Expired records that are not deleted yet may be anywhere in the order. */
async function hasExpired(store: Store, { collection, expiredAt }: RecordQuery): Promise<boolean> {
  return expiredAt !== null && (await store.hasExpired(collection, expiredAt));
}

async function howManyFit(store: Store, query: RecordQuery, recordBytes: number): Promise<number> {
  const { limit } = query;
  if ((limit + 1) * recordBytes <= largestPageBytes) return limit;
  let bytes = 0;
  const sizes = await store.sizes(query);
  const tooMany = sizes.findIndex((size) => {
    bytes += size;
    return bytes > largestPageBytes;
  });
  return tooMany === -1 ? limit : Math.max(tooMany, 1);
}

const cursorForm = /^[A-Za-z0-9_-]{1,4096}\.[A-Za-z0-9_-]{43}$/;

/**
 * Encrypted for this caller, collection and query: if a page stops at the limit, the cursor names a record that this caller
 * may not be able to read.
 */
export function cursorAt(
  { value, id }: Place,
  query: ListQuery,
  parts: CollectionParts,
  access: CallerAccess,
): string {
  return parts.digest.seal(JSON.stringify([value, id]), ...boundTo(query, parts, access));
}

export function readCursor(
  cursor: string,
  query: ListQuery,
  parts: CollectionParts,
  access: CallerAccess,
): Place {
  const [value, id] = JSON.parse(unsealCursor(cursor, boundTo(query, parts, access), parts));
  return { value, id };
}

export function unsealCursor(
  cursor: string,
  bound: readonly string[],
  { digest }: Pick<CollectionParts, 'digest'>,
): string {
  const text = cursorForm.test(cursor) ? digest.unseal(cursor, ...bound) : null;
  if (text === null) throw new Refusal('cursor_invalid');
  return text;
}

function boundTo({ filters }: ListQuery, { collection }: CollectionParts, access: CallerAccess): string[] {
  return ['cursor', access.id, collection.name, ...filters.flat()];
}

function placeOf(record: StoredRecord, query: Pick<RecordQuery, 'sort'>): Place {
  return { value: sortValue(record, query), id: record.id };
}

/** The value as the storage compares it: a missing field counts as empty. */
function sortValue(record: StoredRecord, { sort: { field } }: Pick<RecordQuery, 'sort'>): FieldValue {
  if (field === 'created_at') return record.createdAt;
  const value = fieldsOf(record)[field.name];
  return field.kind === 'text' ? String(value ?? '') : Number(value ?? 0);
}
