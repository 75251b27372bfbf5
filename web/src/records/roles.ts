import type { Collection, RecordItem } from '../api/types.ts';
import { inWords } from '../schema/shape.ts';

/** Several people can work on a record of such a collection. */
export function isShared({ roles }: Collection): boolean {
  return roles !== undefined;
}

export function isReadByEveryone({ access: { read } }: Collection): boolean {
  return read === 'everyone' || (typeof read === 'object' && 'everyone' in read);
}

/** True if the caller may do this now. A record that is not shared is taken to be the caller's own. */
export function mayChange(collection: Collection, record: RecordItem, verb: 'update' | 'delete'): boolean {
  const state = record.state ?? '';
  if (!isShared(collection)) return verb === 'delete' || (collection.editable?.includes(state) ?? true);
  return rolesFor(collection, record, verb).some(([, states]) => states === 'all' || states.includes(state));
}

/** True if the caller may do this in some state of the record. */
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

/** "You are the owner", "You are a member"; null if the caller has no role in the record. */
export function rolesInWords(collection: Collection, record: RecordItem): string | null {
  if (!isShared(collection) || !record.roles?.length) return null;
  const named = record.roles.map((role) => {
    const noun = inWords(role).toLowerCase();
    // Each record has one owner, and one holder of a role that an action grants.
    const isSingle = role === 'owner' || collection.roles?.[role]?.max_per_user !== undefined;
    return `${isSingle ? 'the' : /^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  });
  return `You are ${named.join(' and ')}`;
}
