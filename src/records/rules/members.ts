import { Buffer } from 'node:buffer';
import { Refusal } from '../../base/errors.ts';
import type { Transition } from '../../collections/collection.ts';
import { invitesToAny } from '../../collections/roles.ts';
import { eventOfMember } from '../../events/catalogue.ts';
import type { EventTopic, StoredMember, StoredRecord } from '../../storage/port.ts';
import { rolesIn } from '../caller-access.ts';
import { aliasText, isPerson, rootOf } from '../people-names.ts';
import type { Effects } from './batch-state.ts';
import { audienceOf, type Writing } from './every-write.ts';
import { recordsAbove } from './family.ts';

/** Roles that actions and invitations give and take. Each change of a role is an event, in the order of the log. */

/**
 * The person who gets a role by an action: the caller, or the one that the caller has chosen among the holders of a role by
 * the parent.
 */
export function personFor(
  { grants, chosenFrom }: Transition,
  alias: Uint8Array | undefined,
  record: StoredRecord,
  writing: Writing,
): string {
  const { access, lineage, contextOf, people } = writing;
  if (grants === null || chosenFrom === null) return access.id;
  const placed = { ...contextOf(record), record };
  const isNamed = (person: string) =>
    alias !== undefined && Buffer.compare(writing.names.alias(rootOf(lineage, placed), person), alias) === 0;
  const candidates = recordsAbove(placed).flatMap((above) => [
    above.record.owner,
    ...people.of(above.record.collection, above.record.id).map(({ member }) => member),
  ]);
  const person = candidates.find(isNamed);
  const who = { id: person ?? '', isMachine: false };
  // Machine clients hold no roles.
  if (person === undefined || !isPerson(person) || !rolesIn(lineage, who, placed).includes(chosenFrom)) {
    const message = `must be the alias of a person with the role ${chosenFrom}`;
    throw new Refusal('validation_failed', { members: { errors: [{ pointer: '/member', message }] } });
  }
  return person;
}

/** The role that an action gives. */
export function granted(
  { grants, revokes }: Transition,
  person: string,
  record: StoredRecord,
  writing: Writing,
): readonly Effects[] {
  const { collection, membersOf, people } = writing;
  if (grants === null) return [];
  const holders = membersOf(record.id).filter(({ role }) => role === grants);
  if (holders.some(({ member }) => member === person)) return [];
  // One person at a time holds a role that actions grant.
  if (holders.length > 0 && !revokes.includes(grants)) throw new Refusal('role_full');
  const rule = collection.roles[grants];
  const limit = rule?.kind === 'granted' ? rule.maxPerUser : 0;
  if (people.countOf(person, collection.name, grants) >= limit)
    throw new Refusal('quota_exceeded', { members: { limit } });
  return [joined(record, grants, person, writing)];
}

/** The roles that an action takes away. */
export function revoked(
  { grants, revokes }: Transition,
  person: string,
  record: StoredRecord,
  writing: Writing,
): readonly Effects[] {
  const { membersOf } = writing;
  const keeps = ({ role, member }: StoredMember) => role === grants && member === person;
  return membersOf(record.id)
    .filter((one) => revokes.includes(one.role) && !keeps(one))
    .map((one) => left(record, one, writing));
}

export function joined(record: StoredRecord, role: string, member: string, writing: Writing): Effects {
  const { collection, lineage, names, contextOf, now } = writing;
  const root = rootOf(lineage, { ...contextOf(record), record });
  const row: StoredMember = {
    collection: collection.name,
    recordId: record.id,
    role,
    member,
    alias: names.alias(root, member),
    since: now,
    recordCreatedAt: record.createdAt,
  };
  return { joined: row, event: eventFor('joined', record, row, writing) };
}

/** A person who loses a role that can invite loses its codes. */
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
  // Not all readers of the record may know who has which role in it.
  const untold = [person.topic, names.everyone(collection.name)];
  const readers = audienceOf(record, { after: record.state }, writing, [row]) ?? [];
  const told = readers.filter(({ topic }) => !untold.includes(topic));
  return eventOfMember(collection, kind, record, who, now, [person, ...told]);
}
