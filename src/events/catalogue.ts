import { Buffer } from 'node:buffer';
import { dateTime } from '../base/date-time.ts';
import type { NewEvent, StoredEvent, StoredRecord } from '../storage/port.ts';

/** What can happen to a record besides its actions, which are named after the state that they lead to. */
export const recordEvents = ['created', 'changed', 'deleted', 'expired'] as const;

/** What happens to the members of a record of a shared collection. */
export const memberEvents = ['joined', 'left'] as const;

export function isMemberEvent({ type, topics }: StoredEvent): boolean {
  return topics !== undefined && memberEvents.some((name) => type.endsWith(`.${name}`));
}

export const erasedType = 'consumer.erased';

export interface EventRules {
  /** `thin`: ids only; readers fetch the record for more. */
  readonly data: 'thin' | 'full';
  /** The events that are logged, such as `created`; null: all. */
  readonly only: ReadonlySet<string> | null;
}

interface Declared {
  readonly name: string;
  readonly events: EventRules | null;
}

interface Action {
  readonly action: string;
  readonly from: string;
  /** In a shared collection: the role in which it was taken. */
  readonly by?: string;
}

type Topics = NewEvent['topics'];

/** Fields past this are left out, and the event says so: receivers take 20 kB and not much more. */
export const largestFields = 16_384;

/** The event for a record that was created, changed or moved. Null if the collection does not log it. */
export function eventOfChange(
  collection: Declared,
  kind: 'created' | 'changed' | Action,
  record: StoredRecord,
  at: number,
  topics?: Topics,
): NewEvent | null {
  const { events } = collection;
  const name = typeof kind === 'string' ? kind : (record.state ?? '');
  if (events === null || !isLogged(events, name)) return null;
  const action = typeof kind === 'string' ? {} : kind;
  const data = JSON.stringify({ ...namesOf(record), ...action });
  return eventOf(record, name, at, events.data === 'full' ? withFields(data, record) : data, topics);
}

/** The event for a caller who has joined or left. It is always logged: streams learn by it what they may send. */
export function eventOfMember(
  { events }: Declared,
  kind: (typeof memberEvents)[number],
  record: StoredRecord,
  member: { readonly role: string; readonly alias?: string },
  at: number,
  topics: Topics,
): NewEvent | null {
  if (events === null) return null;
  return eventOf(record, kind, at, JSON.stringify({ ...namesOf(record), ...member }), topics);
}

/** The event for a record that is gone, without its fields. */
export function eventOfRemoval(
  collection: Declared,
  kind: 'deleted' | 'expired',
  record: StoredRecord,
  at: number,
  topics?: Topics,
): NewEvent | null {
  if (collection.events === null || !isLogged(collection.events, kind)) return null;
  return eventOf(record, kind, at, JSON.stringify(namesOf(record)), topics);
}

export function eventOfErasure(owner: string, at: number): NewEvent {
  return { at, type: erasedType, collection: null, recordId: null, owner, data: JSON.stringify({ owner }) };
}

export function isLogged({ only }: EventRules, name: string): boolean {
  return only === null || only.has(name);
}

function namesOf({ id, collection, revision, state }: StoredRecord) {
  return { id, collection, revision, state };
}

function withFields(data: string, { body }: StoredRecord): string {
  const fields = Buffer.byteLength(body) > largestFields ? '"fields_too_large":true' : `"fields":${body}`;
  return `${data.slice(0, -1)},${fields}}`;
}

function eventOf(
  { collection, id, owner }: StoredRecord,
  name: string,
  at: number,
  data: string,
  topics: Topics,
): NewEvent {
  const event = { at, type: `${collection}.${name}`, collection, recordId: id, owner, data };
  return topics === undefined ? event : { ...event, topics };
}

/** For readers who cannot read the record as it is after the event. */
export function withoutFields(event: StoredEvent): StoredEvent {
  const { fields: _, fields_too_large: __, ...names } = JSON.parse(event.data);
  return { ...event, data: JSON.stringify(names) };
}

/** The JSON of an event. Only readers who may see all records get the owner, and `consumer.erased`. */
export function presentEvent(
  event: StoredEvent,
  { showsOwner, showsPosition = false }: { readonly showsOwner: boolean; readonly showsPosition?: boolean },
): string {
  const { position, type, at, owner, data } = event;
  const content =
    showsOwner && type !== erasedType ? `${data.slice(0, -1)},"owner":${JSON.stringify(owner)}}` : data;
  const members = `"type":${JSON.stringify(type)},"timestamp":"${dateTime(at)}","data":${content}`;
  return showsPosition ? `{"position":${position},${members}}` : `{${members}}`;
}
