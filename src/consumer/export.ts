import { dateTime } from '../base/date-time.ts';
import { type BearerHandler, type Input, stream } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { type Lineage, lineageOf, ownerIn } from '../collections/lineage.ts';
import { answersText, type Description, tags } from '../openapi/description.ts';
import { ownerOf, requireScopesOf } from '../records/caller-access.ts';
import { contextsOf, presentPlain } from '../records/present.ts';
import { presentEntry } from '../records/requests/history.ts';
import { largestPageBytes } from '../records/requests/page.ts';
import type {
  Consumer,
  RecordStore,
  StoredHistoryEntry,
  StoredMember,
  StoredRecord,
} from '../storage/port.ts';
import type { ConsumerParts } from './handler-parts.ts';

const largestPage = 50;
/** At each process (429 `too_many_streams` past that). */
export const exportsPerCaller = 1;

/** GET /me/export: all data that is stored about the caller, one line of JSON for each item. */
export function exportAll(collections: readonly Collection[], parts: ConsumerParts): BearerHandler {
  const { store, registry, reads, exports, clock } = parts;
  return async (input, caller) => {
    const owner = ownerOf(caller);
    requireScopesOf(collections, caller, 'read');
    const headers = reads.take(owner);
    input.onClose(exports.take(owner));
    const known = await registry.register(caller, input.proof);
    // Read before the answer begins: a failure is then an error, and not half an export.
    const pageSize = pageSizeFor(collections);
    const first = await store.ofOwner(owner, null, pageSize);
    const download = { 'content-disposition': 'attachment; filename="export.ndjson"' };
    const giveWay = () => input.giveWay();
    const reading = { store, owner, pageSize, now: clock.now(), giveWay, charge: reads.meter(owner) };
    const lineages = handedLineages(collections);
    return stream('application/x-ndjson', lines({ ...reading, lineages }, known, first), {
      headers: { ...download, ...headers },
    });
  };
}

/** Records per read: no more than fit on a page of a list, even if all have the largest size. */
function pageSizeFor(collections: readonly Collection[]): number {
  const largest = Math.max(1, ...collections.map(({ limits }) => limits.bytes));
  return Math.min(largestPage, Math.max(Math.floor(largestPageBytes / largest), 1));
}

/** Of the collections whose records belong to the owner of their parent. */
function handedLineages(collections: readonly Collection[]): ReadonlyMap<string, Lineage> {
  const find = (name: string) => collections.find((one) => one.name === name);
  const handed = collections.filter(({ parent }) => parent?.ownedBy === 'parent');
  return new Map(handed.map((one) => [one.name, lineageOf(one, find)]));
}

interface Reading {
  readonly store: RecordStore;
  readonly owner: string;
  readonly lineages: ReadonlyMap<string, Lineage>;
  readonly pageSize: number;
  readonly now: number;
  readonly giveWay: Input['giveWay'];
  /** Called with the number of records that were read. */
  readonly charge: (records: number) => void;
}

/** The last line has the number of lines before it, so that an incomplete export is recognised. */
async function* lines(
  reading: Reading,
  consumer: Consumer | null,
  first: readonly StoredRecord[],
): AsyncGenerator<string> {
  const { store, owner, pageSize, giveWay, charge } = reading;
  if (consumer !== null) {
    const { id, kind, registeredAt } = consumer;
    yield line({ type: 'consumer', id, kind, registered_at: dateTime(registeredAt) });
  }
  let records = 0;
  for (let page = first; ; page = await store.ofOwner(owner, page.at(-1) ?? null, pageSize)) {
    const own = await withoutHandedOver(page, reading);
    for (const record of own)
      yield `{"type":"record","collection":${JSON.stringify(record.collection)},"record":${presentPlain(record)}}\n`;
    yield* historyLines(own, reading);
    records += own.length;
    charge(page.length);
    if (page.length < pageSize) break;
    await giveWay();
  }
  yield* peopleLines(reading);
  yield line({ type: 'end', records });
}

/** When a parent is handed over, the records under it name the former owner until the sweeper has changed them. */
async function withoutHandedOver(
  page: readonly StoredRecord[],
  { store, owner, lineages, now }: Reading,
): Promise<readonly StoredRecord[]> {
  const former = new Set<StoredRecord>();
  for (const [name, records] of Map.groupBy(page, ({ collection }) => collection)) {
    const lineage = lineages.get(name);
    if (lineage === undefined) continue;
    const contexts = await contextsOf(lineage, records, { store, caller: owner, now });
    contexts.forEach((context, index) => {
      const record = records[index] as StoredRecord;
      if (ownerIn(lineage, { ...context, record }) !== owner) former.add(record);
    });
  }
  return page.filter((record) => !former.has(record));
}

/** The history of a record has up to 1,000 entries. */
const historyEntriesAtOnce = 1_000;

/** Also for collections whose declaration has no history any more. */
async function* historyLines(
  page: readonly StoredRecord[],
  { store, giveWay }: Reading,
): AsyncGenerator<string> {
  for (const [collection, records] of Map.groupBy(page, (record) => record.collection)) {
    const ids = records.map(({ id }) => id);
    let items: StoredHistoryEntry[] = [];
    const historyLine = () =>
      line({ type: 'history', collection, record: items[0]?.recordId, items: items.map(presentEntry) });
    for (;;) {
      const entries = await store.history(collection, ids, items.at(-1) ?? null, historyEntriesAtOnce);
      for (const entry of entries) {
        if (items.length > 0 && entry.recordId !== items[0]?.recordId) {
          yield historyLine();
          items = [];
        }
        items.push(entry);
      }
      if (entries.length < historyEntriesAtOnce) break;
      await giveWay();
    }
    if (items.length > 0) yield historyLine();
  }
}

const membershipsAtOnce = 500;

/** The caller's roles in records of others, and its invitations, without their codes. */
async function* peopleLines({ store, owner, now, giveWay }: Reading): AsyncGenerator<string> {
  let page: readonly StoredMember[] = [];
  do {
    await giveWay();
    page = await store.membershipsOf(owner, page.at(-1) ?? null, membershipsAtOnce);
    for (const { collection, recordId, role, since } of page)
      yield line({ type: 'membership', collection, record: recordId, role, since: dateTime(since) });
  } while (page.length === membershipsAtOnce);
  for (const { id, collection, recordId, role, usesLeft, expiresAt } of await store.invitationsBy(owner, now))
    yield line({
      type: 'invitation',
      id,
      collection,
      record: recordId,
      role,
      uses_left: usesLeft,
      expires_at: dateTime(expiresAt),
    });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

export function describeExport(): Description {
  return {
    name: 'exportMe',
    tag: tags.caller,
    summary: 'Export all data of the caller',
    description:
      'One JSON object on each line: first the caller ("type": "consumer"), then each record ("type": "record"), what happened to them ("history"), its roles in records of others ("membership"), the invitations that it has made ("invitation"), and at the end the number of the records ("type": "end"). Without that last line the export is not complete.',
    answers: answersText('The export.', 'application/x-ndjson'),
    errors: ['too_many_streams'],
    budget: 'reads',
  };
}
