import { Buffer } from 'node:buffer';
import { Refusal } from '../../base/errors.ts';
import { invitersOf, invitesToAny, mayInvite } from '../../collections/roles.ts';
import { eventOfChange } from '../../events/catalogue.ts';
import type { StoredInvitation, StoredMember, StoredRecord } from '../../storage/port.ts';
import { memberRoles } from '../caller-access.ts';
import { isExpired } from '../present.ts';
import type { BatchState, Effects } from './batch-state.ts';
import { found } from './change.ts';
import {
  type Asking,
  askAudience,
  audienceOf,
  charged,
  contextFor,
  contextOf,
  type Decided,
  type Writing,
} from './every-write.ts';
import { joined, left } from './members.ts';
import type { Acceptance, Of, Operation } from './operation.ts';
import { askUniqueFor, checkUnique, handedOver } from './parents.ts';

/** Open codes per record, which are listed without pages. Concurrent invitations may exceed it a little. */
const maxOpen = 100;

/** POST /<collection>/{id}/invitations */
export function decideInvite(change: Of<'invite'>, writing: Writing): Decided {
  const { access, collection, now } = writing;
  const { record, context } = found(change, writing, null);
  const { role } = change.invitation;
  if (access.caller.isMachine || !mayInvite(collection, role, access.rolesOn(record, context)))
    throw new Refusal('role_required');
  if (change.open >= maxOpen) throw new Refusal('quota_exceeded', { members: { limit: maxOpen } });
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

export function askInvitation({ change, state }: Asking<Of<'end_invitation'>>): void {
  if (change.digest !== null) state.people.invitation(change.digest);
}

/** DELETE /<collection>/{id}/invitations/{invitation} */
export function decideEndInvitation(change: Of<'end_invitation'>, writing: Writing): Decided {
  const { access, collection, state } = writing;
  const { record, context } = found(change, writing, null);
  const roles = access.rolesOn(record, context);
  if (!invitesToAny(collection, roles)) throw new Refusal('role_required');
  const invitation = change.digest === null ? null : state.people.invitation(change.digest);
  if (invitation === null || !mayInvite(collection, invitation.role, roles)) throw new Refusal('not_found');
  const { effects, budget } = charged(0, writing);
  const ended: Effects = { invitation: { ...invitation, usesLeft: 0 } };
  return { effects: [...effects, ended], result: { kind: 'removed', record, budget } };
}

/** What the code leads to: a first look, because people are locked before records. */
export function askCode({ change, now }: Operation, state: BatchState): void {
  if (change.kind === 'accept') codeFor(change, state, now);
}

/** What a code leads to, by a first look: the collection is known only from it. Null: nothing, or nothing that admits the caller. */
export function codeFor(
  { digest, admitted }: Acceptance,
  state: BatchState,
  now: number,
): StoredInvitation | null {
  const code = state.people.code(digest);
  const isOpen = code !== null && code.expiresAt > now && Object.hasOwn(admitted, code.collection);
  return isOpen ? code : null;
}

/** Refuses a code that is unknown, used up, ended, of a suspended person, or of a collection that does not admit the caller. */
export function invitationFor(change: Acceptance, state: BatchState, now: number): StoredInvitation {
  const invitation = codeFor(change, state, now) && state.people.invitation(change.digest);
  if (invitation === null || state.consumer(invitation.madeBy)?.state !== 'active')
    throw new Refusal('invitation_invalid');
  return invitation;
}

/** The code, its maker, its record, and what `decideAcceptance` counts. People whose roles change are locked. */
export function askAcceptance(asking: Asking<Acceptance>): void {
  const { change, caller, collection, state, now } = asking;
  const code = codeFor(change, state, now);
  if (code === null) return;
  state.people.invitation(change.digest);
  state.consumer(code.madeBy);
  const record = state.record(collection.name, code.recordId);
  const name = record ?? { collection: collection.name, id: code.recordId, parentId: null };
  contextOf(name, caller.id, asking);
  askAudience(name, asking);
  state.people.countIn(name, code.role);
  state.people.countOf(caller.id, collection.name, code.role);
  if (record === null || code.role !== 'owner') return;
  state.consumer(record.owner);
  askUniqueFor({ ...record, owner: caller.id }, asking);
}

/** POST /invitations. The same refusal for any wrong code. */
export function decideAcceptance(
  { revision }: Acceptance,
  invitation: StoredInvitation,
  writing: Writing,
): Decided {
  const { access, collection, state, now } = writing;
  const { recordId, role } = invitation;
  const record = state.record(collection.name, recordId);
  const isOpen = record !== null && !isExpired(collection, record, now) && invitation.expiresAt > now;
  if (!isOpen || invitersOf(collection, role).length === 0) throw new Refusal('invitation_invalid');
  if (access.caller.isMachine) throw new Refusal('role_required');
  const invited = state.people.rolesOf(access.id, record, memberRoles(collection, 'invited'));
  const granted = memberRoles(collection, 'granted').flatMap((one) => state.people.holders(record, one));
  const own = [...invited, ...granted.filter(({ member }) => member === access.id)];
  const used: Effects = { invitation: { ...invitation, usesLeft: invitation.usesLeft - 1 } };
  if (record.owner === access.id) throw new Refusal('already_member');
  if (role === 'owner') return handOver(record, revision, own, writing);
  if (invited.length > 0) throw new Refusal('already_member');
  checkRoom(role, record, writing);
  const { effects, budget } = charged(0, writing);
  const limit = collection.limits.memberships;
  const memberships = memberRoles(collection, 'invited').reduce(
    (sum, name) => sum + state.people.countOf(access.id, collection.name, name),
    0,
  );
  if (memberships >= limit) throw new Refusal('quota_exceeded', { members: { limit } });
  const joining = joined(record, role, access.id, contextFor(record, writing), writing);
  return { effects: [...effects, used, joining], result: { kind: 'joined', record, budget, role } };
}

function checkRoom(role: string, record: StoredRecord, { collection, state }: Writing): void {
  const rule = collection.roles[role];
  const max = rule?.kind === 'invited' ? rule.max : 0;
  if (state.people.countIn(record, role) >= max) throw new Refusal('role_full');
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
  checkUnique(record, after, writing);
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
      {
        released,
        put: after,
        event,
        closed: { collection: collection.name, recordId: record.id, madeBy: null },
      },
      ...handedOver(after, writing),
      ...own.map((one) => left(after, one, writing)),
      ...(former === null ? [] : [joined(after, former, record.owner, contextFor(record, writing), writing)]),
    ],
    result: { kind: 'joined', record: after, budget, role: 'owner' },
  };
}

type MemberChange = Of<'change_role' | 'remove_member'>;

/** The person with the alias: a first look, because people are locked before records. */
export function askAlias({ change }: Operation, state: BatchState): void {
  if (change.kind === 'change_role' || change.kind === 'remove_member') namedBy(change, state);
}

function namedBy(change: MemberChange, state: BatchState): readonly string[] {
  return change.alias === null ? [] : state.people.named(change, change.alias);
}

/** The roles of the person, who is locked: its row in `members` changes. */
export function askMember(asking: Asking<MemberChange>): void {
  const { change, collection, state } = asking;
  for (const person of namedBy(change, state)) {
    state.consumer(person);
    state.people.rolesOf(person, change, memberRoles(collection, 'invited'));
  }
}

export function askCounts({ change, state }: Asking<Of<'change_role'>>): void {
  state.people.countIn(change, change.role);
}

/** PATCH /<collection>/{id}/members/{alias}: another role by invitation. All codes end: the member may have made one for its former role. */
export function decideChangeRole(change: Of<'change_role'>, writing: Writing): Decided {
  const { access, collection } = writing;
  const { record, context } = found(change, writing, null);
  const roles = access.rolesOn(record, context);
  const row = rowOf(change.alias, record, roles, writing);
  const isSelf = row.member === access.id;
  const mayBoth = mayInvite(collection, row.role, roles) && mayInvite(collection, change.role, roles);
  if (isSelf || !mayBoth) throw new Refusal('role_required');
  const { effects, budget } = charged(0, writing);
  if (row.role === change.role) return { effects, result: { kind: 'changed', record, budget } };
  checkRoom(change.role, record, writing);
  return {
    effects: [
      ...effects,
      left(record, row, writing),
      joined(record, change.role, row.member, context, writing),
      { closed: { collection: collection.name, recordId: record.id, madeBy: null } },
    ],
    result: { kind: 'changed', record, budget },
  };
}

/** DELETE /<collection>/{id}/members/{alias} ends all codes of the record; /members/me ends those of the caller. */
export function decideRemoveMember(change: Of<'remove_member'>, writing: Writing): Decided {
  const { access, collection, state } = writing;
  const { record, context } = found(change, writing, null);
  if (change.alias === null) {
    const own = state.people.rolesOf(access.id, record, memberRoles(collection, 'invited'));
    if (own.length === 0) throw new Refusal('not_found');
    const { effects, budget } = charged(0, writing);
    const leaving = own.map((one) => left(record, one, writing));
    return { effects: [...effects, ...leaving], result: { kind: 'removed', record, budget } };
  }
  const roles = access.rolesOn(record, context);
  const row = rowOf(change.alias, record, roles, writing);
  if (!mayInvite(collection, row.role, roles)) throw new Refusal('role_required');
  const { effects, budget } = charged(0, writing);
  const closed = { collection: collection.name, recordId: record.id, madeBy: null };
  return {
    effects: [...effects, left(record, row, writing), { closed }],
    result: { kind: 'removed', record, budget },
  };
}

/** The member with this alias and a role by invitation. Only a caller who can invite learns whether there is one. */
function rowOf(
  alias: Uint8Array,
  record: StoredRecord,
  roles: readonly string[],
  { collection, state, names }: Writing,
): StoredMember {
  if (!invitesToAny(collection, roles)) throw new Refusal('role_required');
  const invited = memberRoles(collection, 'invited');
  const [row] = state.people
    .named(record, alias)
    .flatMap((person) => state.people.rolesOf(person, record, invited));
  if (row !== undefined) return row;
  const isOwner = Buffer.compare(names.alias(record, record.owner), alias) === 0;
  throw new Refusal(isOwner ? 'role_required' : 'not_found');
}
