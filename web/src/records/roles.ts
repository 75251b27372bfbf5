import type { Collection, RecordItem } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { personName } from '../people/person.ts';
import { inWords } from '../schema/shape.ts';

/** True if several people can work on a record of the collection. */
export function isShared({ roles }: Collection): boolean {
  return roles !== undefined;
}

export function isReadByEveryone({ access: { read } }: Pick<Collection, 'access'>): boolean {
  return read === 'everyone' || (typeof read === 'object' && 'everyone' in read);
}

/** Of a record that does not say what the caller is in it: the owner, or somebody who can only read it. */
export function withOwner(record: RecordItem, isOwner: boolean): RecordItem {
  return isOwner ? { ...record, roles: ['owner'] } : { ...record, roles: [], actions: [] };
}

function isOnlyRead({ roles }: RecordItem): boolean {
  return roles?.length === 0;
}

/** True if the list that one lands on has new records: where everyone can read, it has what everyone can. */
export function isListedAtFirst({ access: { read }, states = {} }: Collection): boolean {
  const [initial = ''] = Object.keys(states);
  const everyones = typeof read === 'object' ? read.everyone : undefined;
  return everyones === undefined || everyones === 'all' || everyones.includes(initial);
}

/** True if the caller may do this in the present state. A record of a collection without roles counts as the caller's own. */
export function mayChange(collection: Collection, record: RecordItem, verb: 'update' | 'delete'): boolean {
  const state = record.state ?? '';
  if (!isShared(collection))
    return !isOnlyRead(record) && (verb === 'delete' || (collection.editable?.includes(state) ?? true));
  return rolesFor(collection, record, verb).some(([, states]) => states === 'all' || states.includes(state));
}

/** True if the caller may do this in at least one state. */
export function mayEverChange(
  collection: Collection,
  record: RecordItem,
  verb: 'update' | 'delete',
): boolean {
  return rolesFor(collection, record, verb).length > 0;
}

function rolesFor({ access }: Collection, { roles = [] }: RecordItem, verb: 'update' | 'delete') {
  const held = [...roles, 'everyone'];
  return Object.entries(access[verb] ?? {}).filter(([role]) => held.includes(role));
}

/** The roles by invitation and by action, without the owner. */
export function memberRoles({ roles = {} }: Collection): readonly string[] {
  return Object.keys(roles).filter(
    (role) => role !== 'owner' && roles[role]?.scope === undefined && roles[role]?.parent_roles === undefined,
  );
}

/** The roles that the caller may invite to. */
export function invitableRoles(
  { roles = {} }: Collection,
  { roles: held = [] }: RecordItem,
): readonly string[] {
  return Object.keys(roles).filter((role) => roles[role]?.invited_by?.some((by) => held.includes(by)));
}

/** True if the caller may see the list of members. */
export function seesMembers(collection: Collection, record: RecordItem): boolean {
  const isInvited = Object.values(collection.roles ?? {}).some(({ invited_by }) => invited_by !== undefined);
  return isInvited && (collection.aliases === true || invitableRoles(collection, record).length > 0);
}

/** True if the caller has a role by invitation, which it can give up. */
export function mayLeave({ roles = {} }: Collection, { roles: held = [] }: RecordItem): boolean {
  return held.some((role) => role !== 'owner' && roles[role]?.invited_by !== undefined);
}

/** "You are the owner", "You are a member", or under a parent who owns it; null without a role. */
export function rolesInWords(collection: Collection, record: RecordItem, isListed = true): string | null {
  if (!isShared(collection)) return null;
  // A role by the parent is the same in all records of a list.
  const byParent = (role: string) =>
    role === 'owner'
      ? collection.parent?.owned_by === 'parent'
      : collection.roles?.[role]?.parent_roles !== undefined;
  const roles = record.roles?.filter((role) => !isListed || !byParent(role)) ?? [];
  if (collection.parent?.owned_by === 'creator') {
    if (roles.join() === 'owner') return t.roles.yours;
    if (!roles.includes('owner') && typeof record.owner === 'string')
      return t.roles.from(personName(record.owner));
  }
  if (roles.length === 0) return null;
  const named = roles.map((role) => ({
    role: roleName(role),
    // Each record has one owner, and one holder of a role that an action grants.
    isSingle: role === 'owner' || collection.roles?.[role]?.max_per_user !== undefined,
  }));
  return t.roles.youAre(named);
}

/** A role as people read it. Owners are not declared, so the page has a word for them. */
export function roleName(role: string): string {
  return role === 'owner' ? t.roles.owner : inWords(role);
}

/** What a role may do, in a few lines: reading, changing, and the actions. */
export function grantsOf({ access, states = {}, roles = {} }: Collection, role: string): readonly string[] {
  const may = (table: unknown) =>
    typeof table === 'object' && table !== null && [role, 'everyone'].some((one) => one in table);
  const takes = ({ by }: { readonly by: string | readonly string[] }) =>
    [by].flat().some((one) => one === role || one === 'everyone');
  const actions = Object.values(states).flatMap((of) =>
    Object.entries(of).filter(([, action]) => takes(action)),
  );
  const named = [...new Set(actions.map(([name]) => inWords(name)))];
  const invites = Object.values(roles).some(({ invited_by }) => invited_by?.includes(role));
  return [
    ...(access.read === 'everyone' || may(access.read) ? [t.invitation.mayRead] : []),
    ...(may(access.update) ? [t.invitation.mayChange] : []),
    ...(may(access.delete) ? [t.invitation.mayDelete] : []),
    ...(named.length > 0 ? [t.invitation.mayAct(named)] : []),
    ...(invites ? [t.invitation.mayInvite] : []),
  ];
}

/** False if the caller reads the record by invitation only, and so not after leaving it. */
export function readsWithoutInvitation(collection: Collection, { roles: held = [] }: RecordItem): boolean {
  const { access, roles = {} } = collection;
  const readers = typeof access.read === 'string' ? [access.read] : Object.keys(access.read ?? {});
  const rest = held.filter((role) => role === 'owner' || roles[role]?.invited_by === undefined);
  return isReadByEveryone(collection) || rest.some((role) => readers.includes(role));
}

/** Why the caller cannot read a record any more. */
export type Loss = 'deleted' | 'left' | 'gone';

/** `kind`: of the last event of the record; empty without one. */
export function lossOf(collection: Collection, { roles = [] }: RecordItem, kind: string): Loss {
  const canOnlyBeDeleted = roles.includes('owner') && collection.roles?.owner === undefined;
  if (!isShared(collection) || canOnlyBeDeleted || kind === 'deleted' || kind === 'expired') return 'deleted';
  return kind === 'left' ? 'left' : 'gone';
}
