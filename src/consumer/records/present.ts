import type { StoredRecord } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';
import { dateTime } from '../date-time.ts';
import type { CallerAccess } from './caller-access.ts';

/** The members that the service adds to the fields of a record. In a request they are ignored. */
export const ownMembers: ReadonlySet<string> = new Set([
  'id',
  'state',
  'actions',
  'created_at',
  'updated_at',
]);

/** A record as this caller sees it: `actions` is what it may do now. */
export function present({ machine }: Collection, record: StoredRecord, access: CallerAccess) {
  const states = machine === null ? {} : { state: record.state, actions: access.actionsOn(machine, record) };
  return { id: record.id, ...fieldsOf(record), ...states, ...timesOf(record) };
}

/** A record as it is kept, for its owner to take away. */
export function presentPlain(record: StoredRecord) {
  const state = record.state === null ? {} : { state: record.state };
  return { id: record.id, ...fieldsOf(record), ...state, ...timesOf(record) };
}

export function fieldsOf({ body }: StoredRecord): Record<string, unknown> {
  return JSON.parse(body);
}

export function isExpired({ limits }: Collection, { updatedAt }: StoredRecord, now: number): boolean {
  return limits.expireMs !== null && updatedAt + limits.expireMs <= now;
}

export function etagOf({ revision }: StoredRecord): string {
  return `"${revision}"`;
}

function timesOf({ createdAt, updatedAt }: StoredRecord) {
  return { created_at: dateTime(createdAt), updated_at: dateTime(updatedAt) };
}
