import { Buffer } from 'node:buffer';
import { Refusal } from '../../base/errors.ts';
import { invitersOf, invitesToAny, mayInvite } from '../../collections/roles.ts';
import { eventOfChange } from '../../events/catalogue.ts';
import type { StoredInvitation, StoredMember, StoredRecord } from '../../storage/port.ts';
import { isExpired } from '../present.ts';
import type { Effects } from './batch-state.ts';
import { found } from './change.ts';
import { audienceOf, charged, type Decided, type Of, type Writing } from './every-write.ts';
import { handedOver } from './family.ts';
import { joined, left } from './members.ts';
import type { Acceptance } from './operation.ts';

/** Open codes per record, which are listed without pages. Concurrent invitations may exceed it a little. */
const mostOpen = 100;

/** POST /<collection>/{id}/invitations */
export function decideInvite(change: Of<'invite'>, writing: Writing): Decided {
  const { access, collection, contextOf, now } = writing;
  const record = found(change, writing, null);
  const { role } = change.invitation;
  if (access.caller.isMachine || !mayInvite(collection, role, access.rolesOn(record, contextOf(record))))
    throw new Refusal('role_required');
  if (change.open >= mostOpen) throw new Refusal('quota_exceeded', { members: { limit: mostOpen } });
  const { effects, budget } = charged(0, writing);
  const invitation: StoredInvitation = {
    ...change.invitation,
    collection: collection.name,
    recordId: record.id,
    madeBy: access.id,
    createdAt: now,
  };
  return { effects: [...effects, { invitation }], result: { kind: 'invited', record, budget } };
}

/** DELETE /<collection>/{id}/invitations/{invitation} */
export function decideEndInvitation(change: Of<'end_invitation'>, writing: Writing): Decided {
  const { access, collection, contextOf, people } = writing;
  const record = found(change, writing, null);
  const roles = access.rolesOn(record, contextOf(record));
  if (!invitesToAny(collection, roles)) throw new Refusal('role_required');
  const invitation = change.digest === null ? null : people.invitation(change.digest);
  if (invitation === null || !mayInvite(collection, invitation.role, roles)) throw new Refusal('not_found');
  const { effects, budget } = charged(0, writing);
  const ended: Effects = { invitation: { ...invitation, usesLeft: 0 } };
  return { effects: [...effects, ended], result: { kind: 'removed', record, budget } };
}

/** POST /invitations. The same refusal for any wrong code. */
export function decideAcceptance(
  { revision }: Acceptance,
  invitation: StoredInvitation,
  writing: Writing,
): Decided {
  const { access, collection, membersOf, people, now } = writing;
  const { recordId, role } = invitation;
  const record = writing.find(recordId);
  const isOpen = record !== null && !isExpired(collection, record, now) && invitation.expiresAt > now;
  if (!isOpen || invitersOf(collection, role).length === 0) throw new Refusal('invitation_invalid');
  if (access.caller.isMachine) throw new Refusal('role_required');
  const own = membersOf(recordId).filter(({ member }) => member === access.id);
  const invited = own.filter((one) => collection.roles[one.role]?.kind === 'invited');
  const used: Effects = { invitation: { ...invitation, usesLeft: invitation.usesLeft - 1 } };
  if (record.owner === access.id) throw new Refusal('already_member');
  if (role === 'owner') return handOver(record, revision, own, writing);
  if (invited.length > 0) throw new Refusal('already_member');
  checkRoom(role, record, writing);
  const { effects, budget } = charged(0, writing);
  const limit = collection.limits.memberships;
  const memberships = Object.entries(collection.roles)
    .filter(([, { kind }]) => kind === 'invited')
    .reduce((sum, [name]) => sum + people.countOf(access.id, collection.name, name), 0);
  if (memberships >= limit) throw new Refusal('quota_exceeded', { members: { limit } });
  return {
    effects: [...effects, used, joined(record, role, access.id, writing)],
    result: { kind: 'joined', record, budget, role },
  };
}

function checkRoom(role: string, record: StoredRecord, { collection, people }: Writing): void {
  const rule = collection.roles[role];
  const most = rule?.kind === 'invited' ? rule.max : 0;
  if (people.countIn(collection.name, record.id, role) >= most) throw new Refusal('role_full');
}

/**
 * The record counts for the quota of the new owner; the former owner keeps the declared role. All codes end: with another
 * code for "owner" the former owner could take the record back.
 */
function handOver(
  record: StoredRecord,
  revision: string,
  own: readonly StoredMember[],
  writing: Writing,
): Decided {
  const { access, collection, now } = writing;
  const { effects, budget } = charged(1, writing);
  const after = { ...record, owner: access.id, revision, updatedAt: now };
  const released = { owner: record.owner, collection: collection.name };
  const former = collection.handover?.previousOwner ?? null;
  if (former !== null && !own.some(({ role }) => role === former)) checkRoom(former, record, writing);
  const topics = [
    ...(audienceOf(record, { before: record.state }, writing) ?? []),
    ...(audienceOf(after, { after: after.state }, writing) ?? []),
  ];
  const byTopic = new Map(topics.map((one) => [one.topic, one]));
  const event = eventOfChange(collection, 'changed', after, now, [...byTopic.values()]);
  return {
    effects: [
      ...effects,
      { released, put: after, event, closed: { collection: collection.name, id: record.id, madeBy: null } },
      ...handedOver(after, writing),
      ...own.map((one) => left(after, one, writing)),
      ...(former === null ? [] : [joined(after, former, record.owner, writing)]),
    ],
    result: { kind: 'joined', record: after, budget, role: 'owner' },
  };
}

/** PATCH /<collection>/{id}/members/{alias}: another role by invitation. All codes end: the member may have made one for its former role. */
export function decideChangeRole(change: Of<'change_role'>, writing: Writing): Decided {
  const { access, collection, contextOf, names } = writing;
  const record = found(change, writing, null);
  const roles = access.rolesOn(record, contextOf(record));
  const row = rowOf(change.alias, record, writing);
  const isSelf = row?.member === access.id;
  if (!invitesToAny(collection, roles)) throw new Refusal('role_required');
  if (row === null && isAliasOf(record.owner, change.alias, record, names))
    throw new Refusal('role_required');
  if (row === null) throw new Refusal('not_found');
  const mayBoth = mayInvite(collection, row.role, roles) && mayInvite(collection, change.role, roles);
  if (isSelf || !mayBoth) throw new Refusal('role_required');
  const { effects, budget } = charged(0, writing);
  if (row.role === change.role) return { effects, result: { kind: 'changed', record, budget } };
  checkRoom(change.role, record, writing);
  return {
    effects: [
      ...effects,
      left(record, row, writing),
      joined(record, change.role, row.member, writing),
      { closed: { collection: collection.name, id: record.id, madeBy: null } },
    ],
    result: { kind: 'changed', record, budget },
  };
}

/** DELETE /<collection>/{id}/members/{alias} ends all codes of the record; /members/me ends those of the caller. */
export function decideRemoveMember(change: Of<'remove_member'>, writing: Writing): Decided {
  const { access, collection, contextOf, membersOf, names } = writing;
  const record = found(change, writing, null);
  const members = membersOf(record.id);
  if (change.alias === null) {
    const isInvited = ({ role }: StoredMember) => collection.roles[role]?.kind === 'invited';
    const own = members.filter((one) => one.member === access.id && isInvited(one));
    if (own.length === 0) throw new Refusal('not_found');
    const { effects, budget } = charged(0, writing);
    const leaving = own.map((one) => left(record, one, writing));
    return { effects: [...effects, ...leaving], result: { kind: 'removed', record, budget } };
  }
  const roles = access.rolesOn(record, contextOf(record));
  if (!invitesToAny(collection, roles)) throw new Refusal('role_required');
  const row = rowOf(change.alias, record, writing);
  if (row === null && isAliasOf(record.owner, change.alias, record, names))
    throw new Refusal('role_required');
  if (row === null) throw new Refusal('not_found');
  if (!mayInvite(collection, row.role, roles)) throw new Refusal('role_required');
  const { effects, budget } = charged(0, writing);
  const closed = { collection: collection.name, id: record.id, madeBy: null };
  return {
    effects: [...effects, left(record, row, writing), { closed }],
    result: { kind: 'removed', record, budget },
  };
}

/** The member with this alias and a role by invitation. */
function rowOf(
  alias: Uint8Array,
  { id }: StoredRecord,
  { collection, membersOf }: Writing,
): StoredMember | null {
  const isNamed = (one: StoredMember) => Buffer.compare(one.alias, alias) === 0;
  const isInvited = (one: StoredMember) => collection.roles[one.role]?.kind === 'invited';
  return membersOf(id).find((one) => isNamed(one) && isInvited(one)) ?? null;
}

function isAliasOf(
  person: string,
  alias: Uint8Array,
  { collection, id }: StoredRecord,
  names: Writing['names'],
): boolean {
  return Buffer.compare(names.alias({ collection, id }, person), alias) === 0;
}
