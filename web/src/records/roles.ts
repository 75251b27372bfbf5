import type { Collection, RecordItem } from '../api/types.ts';
import { listed } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';

/** True if several people can work on a record of the collection. */
export function isShared({ roles }: Collection): boolean {
  return roles !== undefined;
}

export function isReadByEveryone({ access: { read } }: Pick<Collection, 'access'>): boolean {
  return read === 'everyone' || (typeof read === 'object' && 'everyone' in read);
}

/** True if the caller may do this in the present state. A record of a collection without roles counts as the caller's own. */
export function mayChange(collection: Collection, record: RecordItem, verb: 'update' | 'delete'): boolean {
  const state = record.state ?? '';
  if (!isShared(collection)) return verb === 'delete' || (collection.editable?.includes(state) ?? true);
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

/** "You are the owner", "You are a member", or under a parent the alias of the owner; null without a role. */
export function rolesInWords(collection: Collection, record: RecordItem, isListed = true): string | null {
  if (!isShared(collection)) return null;
  // A role by the parent is the same in all records of a list.
  const byParent = (role: string) =>
    role === 'owner'
      ? collection.parent?.owned_by === 'parent'
      : collection.roles?.[role]?.parent_roles !== undefined;
  const roles = record.roles?.filter((role) => !isListed || !byParent(role)) ?? [];
  if (collection.parent?.owned_by === 'creator') {
    if (roles.join() === 'owner') return 'Yours';
    if (!roles.includes('owner') && typeof record.owner === 'string') return `From ${record.owner}`;
  }
  if (roles.length === 0) return null;
  const named = roles.map((role) => {
    // Each record has one owner, and one holder of a role that an action grants.
    const isSingle = role === 'owner' || collection.roles?.[role]?.max_per_user !== undefined;
    return isSingle ? `the ${inWords(role).toLowerCase()}` : withArticle(role);
  });
  return `You are ${listed(named)}`;
}

/** "a member", "an owner". */
export function withArticle(role: string): string {
  const noun = inWords(role).toLowerCase();
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Why the caller cannot read a record any more. */
export type Loss = 'deleted' | 'left' | 'gone';

/** `kind`: of the last event of the record; empty without one. */
export function lossOf(collection: Collection, { roles = [] }: RecordItem, kind: string): Loss {
  const canOnlyBeDeleted = roles.includes('owner') && collection.roles?.owner === undefined;
  if (!isShared(collection) || canOnlyBeDeleted || kind === 'deleted' || kind === 'expired') return 'deleted';
  return kind === 'left' ? 'left' : 'gone';
}
