import { Buffer } from 'node:buffer';
import { Refusal } from '../../base/errors.ts';
import type { Collection, Transition } from '../../collections/collection.ts';
import { recordsAbove, rootOf } from '../../collections/lineage.ts';
import { invitesToAny } from '../../collections/roles.ts';
import { eventOfMember } from '../../events/catalogue.ts';
import type { EventTopic, RecordContext, StoredMember, StoredRecord } from '../../storage/port.ts';
import { rolesIn } from '../caller-access.ts';
import { aliasText, isPerson } from '../people-names.ts';
import type { Effects } from './batch-state.ts';
import { type Asking, audienceOf, contextOf, type Place, type Writing } from './every-write.ts';
import type { Of } from './operation.ts';

/** Roles that actions and invitations give and take. Each change of a role is an event, in the order of the log. */

/** The people whose alias was chosen, and the number of their roles. They are locked: a new member needs its person. */
export function askGranted(asking: Asking<Of<'act'>>): void {
  const { change, caller, collection, state } = asking;
  if (!canGrant(change.action, collection)) return;
  const record = change.chosen === undefined ? null : state.record(collection.name, change.id);
  const placed = record && { ...contextOf(record, caller.id, asking), record };
  const chosen = placed && chosenFrom(placed, change.chosen, asking);
  for (const person of change.chosen === undefined ? [caller.id] : chosen === null ? [] : [chosen]) {
    state.rows.find('memberships', { member: person, collection: collection.name });
    state.consumer(person);
    if (record !== null) contextOf(record, person, asking);
  }
}

function canGrant(action: string, { machine }: Collection): boolean {
  const states = machine?.states.values() ?? [].values();
  return states.some((actions) => (actions.get(action)?.grants ?? null) !== null);
}

/** The person with this alias among those with a role in the ancestors, and their owners; null: none has it. */
function chosenFrom(
  placed: RecordContext & { readonly record: StoredRecord },
  alias: Uint8Array | undefined,
  { lineage, names, state }: Place,
): string | null {
  if (alias === undefined) return null;
  const root = rootOf(lineage, placed);
  const isNamed = (person: string) => Buffer.compare(names.alias(root, person), alias) === 0;
  const candidates = recordsAbove(placed).flatMap(({ record }) => [
    record.owner,
    ...state.people.named(record, alias),
  ]);
  return candidates.find(isNamed) ?? null;
}

/**
 * The person who gets a role by an action: the caller, or the one that the caller has chosen among the holders of a role by
 * the parent.
 */
export function personFor(
  { grants, chosenFrom: role }: Transition,
  alias: Uint8Array | undefined,
  record: StoredRecord,
  context: RecordContext,
  writing: Writing,
): string {
  const { access, lineage } = writing;
  if (grants === null || role === null) return access.id;
  const person = chosenFrom({ ...context, record }, alias, writing);
  const isHolder = (id: string) =>
    rolesIn(lineage, { id, isMachine: false }, { ...contextOf(record, id, writing), record }).includes(role);
  // Machine clients hold no roles.
  if (person === null || !isPerson(person) || !isHolder(person)) {
    const message = `must be the alias of a person with the role ${role}`;
    throw new Refusal('validation_failed', { members: { errors: [{ pointer: '/member', message }] } });
  }
  return person;
}

/** The role that an action gives. */
export function granted(
  { grants, revokes }: Transition,
  person: string,
  record: StoredRecord,
  context: RecordContext,
  writing: Writing,
): readonly Effects[] {
  const { collection, state } = writing;
  if (grants === null) return [];
  const holders = state.people.holders(record, grants);
  if (holders.some(({ member }) => member === person)) return [];
  // One person at a time holds a role that actions grant.
  if (holders.length > 0 && !revokes.includes(grants)) throw new Refusal('role_full');
  const rule = collection.roles[grants];
  const limit = rule?.kind === 'granted' ? rule.maxPerUser : 0;
  if (state.people.countOf(person, collection.name, grants) >= limit)
    throw new Refusal('quota_exceeded', { members: { limit } });
  return [joined(record, grants, person, context, writing)];
}

/** The roles that an action takes away. */
export function revoked(
  { grants, revokes }: Transition,
  person: string,
  record: StoredRecord,
  writing: Writing,
): readonly Effects[] {
  const keeps = ({ role, member }: StoredMember) => role === grants && member === person;
  const holders = revokes.flatMap((role) => writing.state.people.holders(record, role));
  return holders.filter((one) => !keeps(one)).map((one) => left(record, one, writing));
}

export function joined(
  record: StoredRecord,
  role: string,
  member: string,
  context: RecordContext,
  writing: Writing,
): Effects {
  const { collection, lineage, names, now } = writing;
  const row: StoredMember = {
    collection: collection.name,
    recordId: record.id,
    role,
    member,
    alias: names.alias(rootOf(lineage, { ...context, record }), member),
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
  return {
    left: row,
    event,
    closed: { collection: collection.name, recordId: record.id, madeBy: row.member },
  };
}

function eventFor(kind: 'joined' | 'left', record: StoredRecord, row: StoredMember, writing: Writing) {
  const { collection, names, now } = writing;
  const { role, member, alias } = row;
  const who = collection.aliases ? { role, alias: aliasText(alias) } : { role };
  const person: EventTopic = { topic: names.person(member), hasFields: false };
  // Not all readers of the record may know who has which role in it.
  const excluded = [person.topic, names.everyone(collection.name)];
  const readers = audienceOf(record, { after: record.state }, writing, [row]) ?? [];
  const informed = readers.filter(({ topic }) => !excluded.includes(topic));
  return eventOfMember(collection, kind, record, who, now, [person, ...informed]);
}
