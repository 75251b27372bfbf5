import { Buffer } from 'node:buffer';
import { dateTime } from '../base/date-time.ts';
import type { NewEvent, StoredEvent, StoredRecord } from '../storage/port.ts';

/** What can happen to a record besides its actions, which are named after the state that they lead to. */
export const recordEvents = ['created', 'changed', 'deleted', 'expired'] as const;

export const erasedType = 'consumer.erased';

/** What the log tells of the records of a collection. */
export interface EventRules {
  /** `thin`: ids only, and who wants more reads the record. */
  readonly data: 'thin' | 'full';
  /** What is told, such as `created`; null: everything. */
  readonly only: ReadonlySet<string> | null;
}

interface Declared {
  readonly name: string;
  /** Null: the log tells nothing of it. */
  readonly events: EventRules | null;
}

/** What is taken: from one state to another. */
interface Action {
  readonly action: string;
  readonly from: string;
}

/** Fields past this are left out, and the event says so: receivers take 20 kB and not much more. */
export const largestFields = 16_384;

/** What the log is to tell of a record that is there now. Null where the collection does not say it. */
export function eventOfChange(
  collection: Declared,
  kind: 'created' | 'changed' | Action,
  record: StoredRecord,
  at: number,
): NewEvent | null {
  const { events } = collection;
  const name = typeof kind === 'string' ? kind : (record.state ?? '');
  if (events === null || !isTold(events, name)) return null;
  const action = typeof kind === 'string' ? {} : kind;
  const data = JSON.stringify({ ...namesOf(record), ...action });
  return eventOf(record, name, at, events.data === 'full' ? withFields(data, record) : data);
}

/** The same of one that is gone. Nothing is told of its fields any more. */
export function eventOfRemoval(
  collection: Declared,
  kind: 'deleted' | 'expired',
  record: StoredRecord,
  at: number,
): NewEvent | null {
  if (collection.events === null || !isTold(collection.events, kind)) return null;
  return eventOf(record, kind, at, JSON.stringify(namesOf(record)));
}

export function eventOfErasure(owner: string, at: number): NewEvent {
  return { at, type: erasedType, collection: null, recordId: null, owner, data: JSON.stringify({ owner }) };
}

export function isTold({ only }: EventRules, name: string): boolean {
  return only === null || only.has(name);
}

function namesOf({ id, collection, revision, state }: StoredRecord) {
  return { id, collection, revision, state };
}

/** The fields are JSON already. */
function withFields(data: string, { body }: StoredRecord): string {
  const fields = Buffer.byteLength(body) > largestFields ? '"fields_too_large":true' : `"fields":${body}`;
  return `${data.slice(0, -1)},${fields}}`;
}

function eventOf({ collection, id, owner }: StoredRecord, name: string, at: number, data: string): NewEvent {
  return { at, type: `${collection}.${name}`, collection, recordId: id, owner, data };
}

/** How an event is told: to whom everybody's records may be shown, and to whoever keeps its own position. */
interface Presentation {
  readonly showsOwner: boolean;
  readonly showsPosition?: boolean;
}

/**
 * The JSON of an event. The owner of a record is shown only to readers who may see all records; only they get
 * `consumer.erased`.
 */
export function presentEvent(
  event: StoredEvent,
  { showsOwner, showsPosition = false }: Presentation,
): string {
  const { position, type, at, owner, data } = event;
  const told =
    showsOwner && type !== erasedType ? `${data.slice(0, -1)},"owner":${JSON.stringify(owner)}}` : data;
  const members = `"type":${JSON.stringify(type)},"timestamp":"${dateTime(at)}","data":${told}`;
  return showsPosition ? `{"position":${position},${members}}` : `{${members}}`;
}
