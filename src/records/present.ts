import { dateTime } from '../base/date-time.ts';
import type { Collection } from '../collections/collection.ts';
import type { RecordMember, StoredRecord } from '../storage/port.ts';
import type { CallerAccess } from './caller-access.ts';
import { aliasText, type PeopleNames } from './people-names.ts';

/** A record as one caller sees it. */
export interface SeenRecord {
  readonly collection: Collection;
  readonly access: CallerAccess;
  readonly names: PeopleNames;
}

/** The JSON of a record for this caller, with its roles and the actions that it may take. */
export function present(
  record: StoredRecord,
  members: readonly RecordMember[],
  { collection, access, names }: SeenRecord,
): string {
  const { machine, isShared } = collection;
  const shared = isShared ? sharedMembers(record, members, { collection, access, names }) : '';
  if (machine === null) return withMembers(record, shared);
  const actions = JSON.stringify(access.actionsOn(record, members));
  return withMembers(record, `"state":${JSON.stringify(record.state)},"actions":${actions},${shared}`);
}

function sharedMembers(
  record: StoredRecord,
  members: readonly RecordMember[],
  { collection, access, names }: SeenRecord,
): string {
  const roles = access.rolesOn(record, members).filter((role) => role !== 'everyone');
  const own = `"roles":${JSON.stringify(roles)},`;
  if (!collection.aliases) return own;
  const aliasOf = (person: string) => aliasText(names.alias(collection.name, record.id, person));
  const people = members
    .filter(({ role }) => collection.roles[role]?.kind === 'granted')
    .map(({ role, member }) => [role, aliasOf(member)]);
  return `${own}"owner":${JSON.stringify(aliasOf(record.owner))},"people":${JSON.stringify(Object.fromEntries(people))},`;
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
