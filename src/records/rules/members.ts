import { Refusal } from '../../base/errors.ts';
import type { Transition } from '../../collections/collection.ts';
import { invitesToAny } from '../../collections/roles.ts';
import { eventOfMember } from '../../events/catalogue.ts';
import type { EventTopic, StoredMember, StoredRecord } from '../../storage/port.ts';
import { aliasText } from '../people-names.ts';
import type { Effects } from './batch-state.ts';
import type { Writing } from './every-write.ts';

/** Roles that actions and invitations give and take. Each change of a role is an event, in the order of the log. */

/** The role that an action gives to the caller who takes it. */
export function granted(
  { grants, revokes }: Transition,
  record: StoredRecord,
  writing: Writing,
): readonly Effects[] {
  const { access, collection, membersOf, people } = writing;
  if (grants === null) return [];
  const holders = membersOf(record.id).filter(({ role }) => role === grants);
  if (holders.some(({ member }) => member === access.id)) return [];
  // One person at a time holds a role that actions grant.
  if (holders.length > 0 && !revokes.includes(grants)) throw new Refusal('role_full');
  const rule = collection.roles[grants];
  const limit = rule?.kind === 'granted' ? rule.maxPerUser : 0;
  if (people.countOf(access.id, collection.name, grants) >= limit)
    throw new Refusal('quota_exceeded', { members: { limit } });
  return [joined(record, grants, access.id, writing)];
}

/** The roles that an action takes away. */
export function revoked(
  { grants, revokes }: Transition,
  record: StoredRecord,
  writing: Writing,
): readonly Effects[] {
  const { access, membersOf } = writing;
  const keeps = ({ role, member }: StoredMember) => role === grants && member === access.id;
  return membersOf(record.id)
    .filter((one) => revokes.includes(one.role) && !keeps(one))
    .map((one) => left(record, one, writing));
}

export function joined(record: StoredRecord, role: string, member: string, writing: Writing): Effects {
  const { collection, names, now } = writing;
  const row: StoredMember = {
    collection: collection.name,
    recordId: record.id,
    role,
    member,
    alias: names.alias(collection.name, record.id, member),
    since: now,
    recordCreatedAt: record.createdAt,
  };
  return { joined: row, event: eventFor('joined', record, row, writing) };
}

/** A person who loses a role that invites others loses the codes it has made. */
export function left(record: StoredRecord, row: StoredMember, writing: Writing): Effects {
  const { collection } = writing;
  const event = eventFor('left', record, row, writing);
  if (!invitesToAny(collection, [row.role])) return { left: row, event };
  return { left: row, event, closed: { collection: collection.name, id: record.id, madeBy: row.member } };
}

function eventFor(kind: 'joined' | 'left', record: StoredRecord, row: StoredMember, writing: Writing) {
  const { collection, names, now } = writing;
  const { role, member, alias } = row;
  const who = collection.aliases ? { role, alias: aliasText(alias) } : { role };
  const person: EventTopic = { topic: names.person(member), hasFields: false };
  const everyone = names.everyone(collection.name);
  const readers = names.audience(collection, record, { after: record.state }) ?? [];
  // Not everybody who can read the record is told who has which role in it.
  const told = readers.filter(({ topic }) => topic !== everyone);
  return eventOfMember(collection, kind, record, who, now, [person, ...told]);
}
