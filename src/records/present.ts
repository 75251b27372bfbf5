import { dateTime } from '../base/date-time.ts';
import type { Collection } from '../collections/collection.ts';
import type { StoredRecord } from '../storage/port.ts';
import type { CallerAccess } from './caller-access.ts';

/** The JSON of a record for this caller, with the actions that it may take. */
export function present({ machine }: Collection, record: StoredRecord, access: CallerAccess): string {
  if (machine === null) return withMembers(record, '');
  const actions = JSON.stringify(access.actionsOn(machine, record));
  return withMembers(record, `"state":${JSON.stringify(record.state)},"actions":${actions},`);
}

export function presentPlain(record: StoredRecord): string {
  return withMembers(record, record.state === null ? '' : `"state":${JSON.stringify(record.state)},`);
}

function withMembers({ id, body, createdAt, updatedAt }: StoredRecord, states: string): string {
  const fields = body === '{}' ? '' : `${body.slice(1, -1)},`;
  const times = `"created_at":"${dateTime(createdAt)}","updated_at":"${dateTime(updatedAt)}"`;
  return `{"id":${JSON.stringify(id)},${fields}${states}${times}}`;
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
