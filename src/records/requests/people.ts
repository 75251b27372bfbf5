import type { Caller } from '../../base/caller.ts';
import { dateTime } from '../../base/date-time.ts';
import { parseDuration } from '../../base/duration.ts';
import { Refusal } from '../../base/errors.ts';
import { answer, type BearerHandler, type Input, json, jsonText, recordId } from '../../base/handler.ts';
import { createInvitationCode, createRecordId, createRevision } from '../../base/random.ts';
import type { Collection, FieldError } from '../../collections/collection.ts';
import { ownerIn, rootOf } from '../../collections/lineage.ts';
import { invitesToAny } from '../../collections/roles.ts';
import type { RecordName, RecordWithMembers, StoredMember } from '../../storage/port.ts';
import { CallerAccess, memberRoles, ownerOf } from '../caller-access.ts';
import { type Fields, readObject } from '../fields.ts';
import { aliasText, readAlias } from '../people-names.ts';
import { contextOf, countsFor, isExpired, present } from '../present.ts';
import { named } from './changes.ts';
import type { CollectionParts, RecordParts } from './handler-parts.ts';
import { readPageParameters } from './list-query.ts';
import { unsealCursor } from './page.ts';
import { type ReadLimit, rateHeaders } from './read-limit.ts';
import { submitting, submittingAs } from './write.ts';

/** Members and invitations of a record. The rules are in rules/invitations. */

export const maxUses = 100;
export const longestInvitationMs = 30 * 86_400_000;

/** POST /<collection>/{id}/invitations: the code is only in this answer. */
export function invite(parts: CollectionParts): BearerHandler {
  const { collection, store, digest, clock } = parts;
  return (input, caller, token) => {
    const code = createInvitationCode();
    const id = createRecordId(clock.now());
    const handle = submitting(
      parts,
      async () => {
        const { role, uses, forMs } = readInvitation(readObject(input), collection);
        const expiresAt = clock.now() + forMs;
        const invitation = { digest: digest.of('invitation', code), id, role, usesLeft: uses, expiresAt };
        const record = named(collection, recordId(input));
        const { length: open } = await store.invitations(collection.name, record.id, clock.now());
        return { ...record, kind: 'invite' as const, invitation, open, expected: null };
      },
      ({ budget }, { now }, { invitation: { role, usesLeft: uses, expiresAt } }) => {
        const headers = budget === null ? {} : rateHeaders('writes', budget, now);
        const shown = { id, role, uses, expires_at: dateTime(expiresAt), code };
        return json(shown, { status: 201, headers });
      },
    );
    return handle(input, caller, token);
  };
}

function readInvitation(fields: Fields, collection: Collection) {
  const { role, uses = 1, expires_in = '7d', ...others } = fields;
  const forMs = typeof expires_in === 'string' ? parseDuration(expires_in) : null;
  const roles = invitedRoles(collection);
  const errors: FieldError[] = Object.keys(others).map((name) => ({
    pointer: `/${name}`,
    message: 'is not known here; expected role, uses or expires_in',
  }));
  if (!roles.includes(role as string))
    errors.push({ pointer: '/role', message: `must be one of ${roles.join(', ')}` });
  if (!Number.isInteger(uses) || (uses as number) < 1 || (uses as number) > maxUses)
    errors.push({ pointer: '/uses', message: `must be a whole number from 1 to ${maxUses}` });
  if (forMs === null || forMs <= 0 || forMs > longestInvitationMs)
    errors.push({ pointer: '/expires_in', message: 'must be a duration such as 7d, at most 30d' });
  if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
  return { role: role as string, uses: uses as number, forMs: forMs as number };
}

/** The roles that invitations can give. */
export function invitedRoles(collection: Collection): readonly string[] {
  return [...memberRoles(collection, 'invited'), ...(collection.handover === null ? [] : ['owner'])];
}

/** True if there is a list of members. */
export function hasMembers(collection: Collection): boolean {
  return invitedRoles(collection).length > 0 || (collection.aliases && memberRoles(collection).length > 0);
}

/** The record, if the caller may see it, and the caller's roles in it. */
export async function seen(parts: CollectionParts, input: Input, access: CallerAccess) {
  const { collection, lineage, store, clock, reads } = parts;
  const headers = reads.take(access.id);
  const now = clock.now();
  const record = await store.find(collection.name, recordId(input, headers), access.membersWanted);
  if (record === null || isExpired(collection, record, now)) throw new Refusal('not_found', { headers });
  const context = await contextOf(lineage, record, { store, caller: access.id, now });
  if (!access.sees(record, context)) throw new Refusal('not_found', { headers });
  const root = rootOf(lineage, { ...context, record });
  return {
    record,
    root,
    owner: ownerIn(lineage, { ...context, record }),
    roles: access.rolesOn(record, context),
    headers,
  };
}

/** GET /<collection>/{id}/invitations */
export function listInvitations(parts: CollectionParts): BearerHandler {
  const { collection, lineage, store, clock } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'read');
    const { record, roles, headers } = await seen(parts, input, access);
    if (!invitesToAny(collection, roles)) throw new Refusal('role_required', { headers });
    const found = await store.invitations(collection.name, record.id, clock.now());
    const items = found.map(({ id, role, usesLeft, expiresAt }) => {
      return { id, role, uses_left: usesLeft, expires_at: dateTime(expiresAt) };
    });
    return json({ items }, { headers });
  };
}

/** DELETE /<collection>/{id}/invitations/{invitation} */
export function endInvitation(parts: CollectionParts): BearerHandler {
  const { collection, store, clock } = parts;
  return submitting(parts, async (input) => {
    const record = named(collection, recordId(input));
    const { invitation = '' } = input.params;
    const found = await store.invitations(collection.name, record.id, clock.now());
    const digest = found.find(({ id }) => id === invitation)?.digest ?? null;
    return { ...record, kind: 'end_invitation', invitation, digest, expected: null };
  });
}

/** GET /<collection>/{id}/members: the owner first, then the others in the order of their aliases. */
export function listMembers(parts: CollectionParts): BearerHandler {
  const { collection, lineage, store, names, digest } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'read');
    const { record, root, owner: person, roles, headers } = await seen(parts, input, access);
    const { limit, cursor } = readPageParameters(input.query);
    if (!collection.aliases && !invitesToAny(collection, roles))
      throw new Refusal('role_required', { headers });
    const bound = ['members', access.id, collection.name, record.id];
    const after = cursor === null ? null : readPlace(unsealCursor(cursor, bound, parts));
    const owner = after === null ? [ownerItem({ ...record, owner: person }, root, access, names)] : [];
    const maxMembers = limit - owner.length;
    const found = await store.members(collection.name, record.id, after, maxMembers + 1);
    const page = found.slice(0, maxMembers);
    const next = found.length > maxMembers ? digest.seal(placeAfter(page.at(-1)), ...bound) : null;
    return json({ items: [...owner, ...page.map((one) => itemOf(one, access))], next }, { headers });
  };
}

/** The place in the list after a member; after the owner if there is none. */
function placeAfter(last: StoredMember | undefined): string {
  return JSON.stringify(last === undefined ? ['', ''] : [aliasText(last.alias), last.role]);
}

function readPlace(text: string) {
  const [alias, role] = JSON.parse(text);
  return { alias: readAlias(alias) ?? new Uint8Array(), role };
}

function itemOf({ alias, role, since, member }: StoredMember, { id }: CallerAccess) {
  return { alias: aliasText(alias), role, since: dateTime(since), is_me: member === id };
}

function ownerItem(
  { owner, createdAt }: RecordWithMembers,
  root: RecordName,
  access: CallerAccess,
  names: RecordParts['names'],
) {
  const alias = aliasText(names.alias(root, owner));
  return { alias, role: 'owner', since: dateTime(createdAt), is_me: owner === access.id };
}

/** PATCH /<collection>/{id}/members/{alias} */
export function changeMember(parts: CollectionParts): BearerHandler {
  const roles = memberRoles(parts.collection, 'invited');
  return submitting(
    parts,
    (input) => {
      const { role, ...others } = readObject(input);
      const [unknown] = Object.keys(others);
      const errors: FieldError[] = [
        ...(roles.includes(role as string)
          ? []
          : [{ pointer: '/role', message: `must be one of ${roles.join(', ')}` }]),
        ...(unknown === undefined
          ? []
          : [{ pointer: `/${unknown}`, message: 'is not known here; expected role' }]),
      ];
      if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
      const alias = aliasIn(input);
      return {
        ...named(parts.collection, recordId(input)),
        kind: 'change_role',
        alias,
        role: role as string,
        expected: null,
      };
    },
    ({ budget }, { now }) => {
      const headers = budget === null ? {} : rateHeaders('writes', budget, now);
      return answer(null, '', { status: 204, headers });
    },
  );
}

/** DELETE /<collection>/{id}/members/{alias}; "me" leaves. */
export function removeMember(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input) => {
    const alias = input.params.alias === 'me' ? null : aliasIn(input);
    return { ...named(parts.collection, recordId(input)), kind: 'remove_member', alias, expected: null };
  });
}

/** A text that is no alias matches no member. */
function aliasIn({ params }: Input): Uint8Array {
  return readAlias(params.alias ?? '') ?? new Uint8Array(16);
}

const codeForm = /^[A-Za-z0-9_-]{22}$/;

/** POST /invitations: the caller takes the role of the code. Only a wrong code stays counted as a guess. */
export function acceptInvitation(collections: readonly Collection[], parts: RecordParts): BearerHandler {
  const { guesses, digest } = parts;
  const shared = collections.filter((collection) => invitedRoles(collection).length > 0);
  const handle = submittingAs(
    parts,
    (caller) => admitTo(shared, caller, parts),
    (input, { id }, { admitted }) => {
      // Before the code is looked up.
      guesses.take(id);
      return {
        kind: 'accept' as const,
        digest: digest.of('invitation', readCode(input)),
        revision: createRevision(),
        admitted: Object.fromEntries(
          admitted.map(({ collection: { name }, access }) => [name, access.caller.scopeRoles?.[name] ?? []]),
        ),
      };
    },
    async ({ record, role, context, budget }, { admitted, ...seeing }) => {
      const found = admitted.find(({ collection }) => collection.name === record.collection);
      const seen = { ...seeing, ...found };
      const { collection, access, now } = seen;
      // A role that cannot read the present state gets only the id of the record.
      const shown = access.sees(record, context)
        ? present(record, context, seen, await countsFor(record, seen))
        : JSON.stringify({ id: record.id });
      const headers = budget === null ? {} : rateHeaders('writes', budget, now);
      const names = `"collection":${JSON.stringify(collection.name)},"role":${JSON.stringify(role)}`;
      return jsonText(`{${names},"record":${shown}}`, { headers });
    },
  );
  return countingGuesses(guesses, handle);
}

/** POST /invitations/preview: what the code leads to, for a caller who may accept it. The code does not stand in a URL. */
export function previewInvitation(collections: readonly Collection[], parts: RecordParts): BearerHandler {
  const { guesses, digest, reads, store, clock } = parts;
  const shared = collections.filter((collection) => invitedRoles(collection).length > 0);
  return countingGuesses(guesses, async (input, caller) => {
    const { admitted, access } = admitTo(shared, caller, parts);
    if (access.caller.isMachine) throw new Refusal('role_required');
    const headers = reads.take(access.id);
    guesses.take(access.id);
    const now = clock.now();
    const invitation = await store.invitation(digest.of('invitation', readCode(input)), now);
    const name = invitation?.collection;
    const collection = admitted.find((one) => one.collection.name === name)?.collection;
    const record = collection && invitation && (await store.find(collection.name, invitation.recordId));
    if (!collection || !record || isExpired(collection, record, now))
      throw new Refusal('invitation_invalid', { headers });
    const { role, expiresAt } = invitation;
    if (!invitedRoles(collection).includes(role)) throw new Refusal('invitation_invalid', { headers });
    return json({ collection: collection.name, role, expires_at: dateTime(expiresAt) }, { headers });
  });
}

/** Only a wrong code stays counted. */
function countingGuesses(guesses: ReadLimit, handle: BearerHandler): BearerHandler {
  return async (input, caller, token) => {
    const id = ownerOf(caller);
    let isGuess = false;
    try {
      return await handle(input, caller, token);
    } catch (error) {
      isGuess = error instanceof Refusal && ['invitation_invalid', 'read_limit_reached'].includes(error.code);
      throw error;
    } finally {
      if (!isGuess) guesses.refund(id);
    }
  };
}

/** The collections that admit the caller: a refusal by one only leaves that one out. */
function admitTo(collections: readonly Collection[], caller: Caller, { store, names }: RecordParts) {
  const admitted = collections.flatMap((collection) => {
    try {
      const lineage = [collection] as const;
      return [{ collection, lineage, access: CallerAccess.admit(lineage, caller, 'write') }];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return [];
    }
  });
  const [first] = admitted;
  if (first === undefined) throw new Refusal('invitation_invalid');
  return { ...first, admitted, store, names };
}

function readCode(input: Input): string {
  const { code, ...others } = readObject(input);
  const [unknown] = Object.keys(others);
  if (typeof code !== 'string' || unknown !== undefined) {
    const pointer = unknown === undefined ? '/code' : `/${unknown}`;
    const message =
      unknown === undefined ? 'must be the code of an invitation' : 'is not known here; expected code';
    throw new Refusal('validation_failed', { members: { errors: [{ pointer, message }] } });
  }
  // A malformed code is looked up all the same, as one that does not exist.
  return codeForm.test(code) ? code : `wrong ${code.length}`;
}
