import { type Caller, hasExpired, isCurrent, type VerifiedToken } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { type BearerHandler, type Input, jsonText, live } from '../../base/handler.ts';
import { recordIdForm } from '../../base/random.ts';
import type { Collection } from '../../collections/collection.ts';
import { type Lineage, lineageOf } from '../../collections/lineage.ts';
import type { Audience } from '../../events/audience.ts';
import { erasedType, presentEvent } from '../../events/catalogue.ts';
import { type EventReader, placeIn, readVisible } from '../../events/reader.ts';
import type { LongPolls, StreamLimit } from '../../events/stream-limit.ts';
import type { Streams } from '../../events/streams.ts';
import type { EventTail } from '../../events/tail.ts';
import { admitsReader, CallerAccess, ownerOf } from '../../records/caller-access.ts';
import { contextOf, isExpired } from '../../records/present.ts';
import type { ReadLimit } from '../../records/requests/read-limit.ts';
import type { EventStore, RecordName, RecordStore, StoredEvent } from '../../storage/port.ts';

export const longestWaitSeconds = 30;
export const largestPage = 100;

const known: ReadonlySet<string> = new Set(['collection', 'in', 'after', 'wait']);
const positionForm = /^(?:0|[1-9]\d{0,14})$/;

/** Throws if a parameter is invalid. A stream that reconnects sends its position in `Last-Event-ID`. */
function readEventQuery(input: Input, declared: readonly Collection[]) {
  const parameters = new URLSearchParams(input.query);
  for (const name of parameters.keys())
    if (!known.has(name) || parameters.getAll(name).length > 1) throw invalid(name);
  const isStream = wantsStream(input.header('accept'));
  return {
    isStream,
    /** Null: all collections that admit the caller. */
    collections: readCollections(parameters.get('collection'), declared),
    /** Records under which everyone can read: events under these are included, too. */
    under: readUnder(parameters.get('in'), declared),
    /** Start after this position; null: start now. */
    after: readPosition(input, parameters, isStream),
    waitMs: readWait(parameters.get('wait'), isStream),
  };
}

/** Any other `Accept` gets a page. */
function wantsStream(accept = ''): boolean {
  return accept.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}

function readCollections(text: string | null, declared: readonly Collection[]): readonly Collection[] | null {
  if (text === null) return null;
  return [...new Set(text.split(','))].map((name) => {
    const collection = declared.find((one) => one.name === name);
    if (collection === undefined) throw invalid('collection');
    return collection;
  });
}

export const maxUnder = 20;

/** `teams/ID,issues/ID` */
function readUnder(text: string | null, declared: readonly Collection[]): readonly RecordName[] {
  if (text === null) return [];
  const names = [...new Set(text.split(','))];
  if (names.length > maxUnder) throw invalid('in');
  return names.map((name) => {
    const [collection = '', id = '', ...more] = name.split('/');
    const isParent = declared.some((one) => one.name === collection && one.children.length > 0);
    if (!isParent || more.length > 0) throw invalid('in');
    return { collection, id };
  });
}

function readPosition(input: Input, parameters: URLSearchParams, isStream: boolean): number | null {
  const resumed = isStream ? input.header('last-event-id') : undefined;
  if (resumed !== undefined && resumed !== '') {
    if (!positionForm.test(resumed))
      throw new Refusal('header_invalid', { members: { header: 'Last-Event-ID' } });
    return Number(resumed);
  }
  const after = parameters.get('after');
  if (after === null) return null;
  if (!positionForm.test(after)) throw invalid('after');
  return Number(after);
}

function readWait(text: string | null, isStream: boolean): number {
  if (text === null) return 0;
  if (isStream || !/^\d{1,2}$/.test(text) || Number(text) > longestWaitSeconds) throw invalid('wait');
  return Number(text) * 1000;
}

function invalid(parameter: string): Refusal {
  const detail = `Send each of these once at most: collection=<names>, in=<collection>/<id>, after=<position>, wait=<0 to ${longestWaitSeconds}> (not for a stream).`;
  return new Refusal('query_invalid', { members: { parameter, detail } });
}

/**
 * The events that a caller may see: its own and, for a machine client, those of all whose records it reaches. Collections
 * that do not admit it are left out, unless it names them: then it is refused as on their routes.
 */
export function visibleTo(
  caller: Caller,
  collections: readonly Collection[],
  named: readonly Collection[] | null,
  audienceOf: AudienceOf | null,
  under: readonly RecordName[] = [],
): EventReader {
  const id = ownerOf(caller);
  const admitting = named ?? collections.filter((collection) => admitsReader(collection, caller));
  const accesses = admitting.map(
    (collection) => [collection.name, CallerAccess.admit([collection], caller, 'read')] as const,
  );
  const own = new Set(accesses.map(([name]) => name));
  /** The states in which the caller reads everyone's records; null: all of them. */
  const all = new Map(
    accesses.flatMap(([name, access]) => (access.reachesAll ? [[name, access.listedStates] as const] : [])),
  );
  const find = (name: string) => collections.find((one) => one.name === name);
  const followed = admitting
    .filter(({ isShared, children }) => isShared || children.length > 0)
    .map((collection) => lineageOf(collection, find));
  const shared = new Set(admitting.filter(({ isShared }) => isShared).map(({ name }) => name));
  const audience =
    audienceOf === null || shared.size === 0 ? null : audienceOf(caller, followed, named !== null, under);
  const seesAll = ({ collection, data }: StoredEvent, isAfter = false) => {
    const states = all.get(collection ?? '');
    if (states === undefined || states === null) return states === null;
    const { state, from }: { readonly state?: string; readonly from?: string } = JSON.parse(data);
    return [state, isAfter ? state : from].some((one) => one !== undefined && states.includes(one));
  };
  return {
    owner: all.size === 0 ? id : null,
    showsOwner: all.size > 0,
    audience,
    sees(event) {
      const { type, collection, owner } = event;
      // A reader of all records may keep copies, so it must learn of erasures.
      if (type === erasedType) return all.size > 0;
      if (collection === null || seesAll(event)) return collection !== null;
      if (shared.has(collection)) return audience?.matches(event) === true;
      return owner === id && own.has(collection);
    },
    showsFields: (event) =>
      event.topics === undefined || seesAll(event, true) || audience?.matchesFields(event) === true,
  };
}

/** The events of shared collections and parents that a caller gets. `isNamed`: the caller has named them in its request. */
export type AudienceOf = (
  caller: Caller,
  followed: readonly Lineage[],
  isNamed: boolean,
  under: readonly RecordName[],
) => Audience;

export interface EventParts {
  readonly store: EventStore;
  readonly tail: EventTail;
  readonly streams: Streams;
  readonly streamLimit: StreamLimit;
  readonly longPolls: LongPolls;
  /** Throws or rejects if the caller would no longer be admitted. */
  readonly checkAgain: (token: VerifiedToken) => void | Promise<void>;
  readonly reads: ReadLimit;
  /** Null if no collection is shared. */
  readonly audienceOf: AudienceOf | null;
  readonly records: Pick<RecordStore, 'find'>;
  readonly clock: Clock;
}

/** GET /events: a live stream, or a page for a caller that stores its own position. */
export function readEvents(collections: readonly Collection[], parts: EventParts): BearerHandler {
  return async (input, caller, token) => {
    const owner = ownerOf(caller);
    const headers = parts.reads.take(owner);
    const asked = readEventQuery(input, collections);
    for (const name of asked.under) await checkReadable(name, collections, caller, parts);
    const reader = visibleTo(caller, collections, asked.collections, parts.audienceOf, asked.under);
    if (!asked.isStream) {
      const { events, next, isReset } = await readPage(parts, reader, { owner, token, ...asked }, input);
      const items = events.map((event) =>
        presentEvent(event, { showsOwner: reader.showsOwner, showsPosition: true }),
      );
      return jsonText(`{"items":[${items.join()}],"next":${next},"reset":${isReset}}`, { headers });
    }
    const take = parts.streams.open(token, reader, asked.after, () => input.giveWay());
    // Reserved before the answer is sent: many requests of one caller can be authenticated at the same moment.
    input.onClose(parts.streamLimit.take(owner));
    // Tells proxies not to buffer: they would hold a stream back for ever.
    return live('text/event-stream', take, { headers: { ...headers, 'x-accel-buffering': 'no' } });
  };
}

/** Refuses a record that the caller cannot read, as its route does. */
async function checkReadable(
  { collection, id }: RecordName,
  collections: readonly Collection[],
  caller: Caller,
  { records, clock }: EventParts,
): Promise<void> {
  const find = (name: string) => collections.find((one) => one.name === name);
  const declared = find(collection);
  if (declared === undefined) throw invalid('in');
  const lineage = lineageOf(declared, find);
  const access = CallerAccess.admit(lineage, caller, 'read');
  const now = clock.now();
  const record = recordIdForm.test(id) ? await records.find(collection, id, access.membersWanted) : null;
  if (record === null || isExpired(declared, record, now)) throw new Refusal('not_found');
  const context = await contextOf(lineage, record, { store: records, caller: access.id, now });
  if (!access.sees(record, context)) throw new Refusal('not_found');
}

interface Page {
  readonly events: readonly StoredEvent[];
  readonly next: number;
  /** The events after the requested position are pruned. */
  readonly isReset: boolean;
}

interface PageRequest {
  readonly owner: string;
  readonly token: VerifiedToken;
  readonly after: number | null;
  readonly waitMs: number;
}

async function readPage(
  parts: EventParts,
  reader: EventReader,
  { owner, token, after, waitMs }: PageRequest,
  input: Input,
): Promise<Page> {
  const { store, streamLimit, longPolls, checkAgain, clock } = parts;
  const extent = await store.extent();
  const { last } = extent;
  const start = after === null ? last : await placeIn(store, extent, after);
  if (start === null) return { events: [], next: last, isReset: true };
  await reader.audience?.begin(start);
  const from = (position: number, until: number) =>
    readVisible(store, reader, { after: position, until }, largestPage);
  let found = await from(start, last);
  if (found.events.length === 0 && found.reached >= last && waitMs > 0) {
    const leave = streamLimit.take(owner);
    // Subscribes before it reads, so that no event is missed.
    const waiting = nextEvent(parts, reader, found.reached, owner);
    const forget = longPolls.add({ token, end: () => waiting.stop() });
    try {
      // From now on the long poll ends if the caller is suspended or revoked.
      await checkAgain(token);
      found = await from(found.reached, (await store.extent()).last);
      const isOver = () => input.hasHungUp() || hasExpired(token, clock.now() / 1000);
      if (found.events.length === 0) {
        input.leavePlace();
        await waiting.come(waitMs, isOver);
      }
      // Check again after the wait: the caller may have been suspended meanwhile.
      await checkAgain(token);
      // The client asks again, and its token is then verified with the current keys.
      if (!isCurrent(token)) return { events: [], next: start, isReset: false };
      if (found.events.length === 0) found = await from(found.reached, (await store.extent()).last);
    } finally {
      waiting.stop();
      forget();
      leave();
    }
  }
  // Events after the position are pruned meanwhile.
  const kept = await store.extent();
  if (start < kept.first - 1) return { events: [], next: kept.last, isReset: true };
  return { events: found.events, next: found.reached, isReset: false };
}

const lookEveryMs = 1_000;

/** Waits for the next event after a position that a reader may see, or for the erasure of the reader itself. */
function nextEvent({ tail, clock }: EventParts, reader: EventReader, after: number, owner: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let cancel = () => {};
  const isFor = (event: StoredEvent) =>
    reader.sees(event) || (event.type === erasedType && event.owner === owner);
  const unsubscribe = tail.subscribe((events) => {
    if (events.some((event) => event.position > after && isFor(event))) resolve();
  });
  return {
    /** Resolves when there is an event, the time is over, or the request has ended. */
    come(waitMs: number, isOver: () => boolean): Promise<void> {
      const until = clock.monotonic() + waitMs;
      const waitOn = () => {
        const left = until - clock.monotonic();
        if (left <= 0 || isOver()) resolve();
        else cancel = clock.after(Math.min(left, lookEveryMs), waitOn);
      };
      waitOn();
      return promise;
    },
    stop(): void {
      resolve();
      cancel();
      unsubscribe();
    },
  };
}
