import type { Caller } from '../../base/caller.ts';
import { isGranted } from '../../base/scopes.ts';
import type { Collection } from '../../collections/collection.ts';
import { erasedType } from '../../events/catalogue.ts';
import type { EventReader } from '../../events/reader.ts';
import { CallerAccess, ownerOf } from '../../records/caller-access.ts';

/**
 * What a caller may know of: its own events, and a machine client those of all whose records it reaches. Collections that do
 * not admit it are left out, unless they are asked for by name: then it is refused as it would be there.
 */
export function visibleTo(
  caller: Caller,
  collections: readonly Collection[],
  named: readonly Collection[] | null,
): EventReader {
  const id = ownerOf(caller);
  const admitting = named ?? collections.filter((collection) => admits(collection, caller));
  const accesses = admitting.map(
    (collection) => [collection.name, CallerAccess.admit(collection, caller, 'read')] as const,
  );
  const own = new Set(accesses.map(([name]) => name));
  const all = new Set(accesses.flatMap(([name, access]) => (access.reachesAll ? [name] : [])));
  return {
    owner: all.size === 0 ? id : null,
    showsOwner: all.size > 0,
    sees({ type, collection, owner }) {
      // A reader of all records may keep copies, and has to erase them too.
      if (type === erasedType) return all.size > 0;
      return collection !== null && (all.has(collection) || (owner === id && own.has(collection)));
    },
  };
}

function admits({ access: { clients, scopes } }: Collection, caller: Caller): boolean {
  if (clients === 'none' && caller.credentialId !== null) return false;
  return scopes.read === null || isGranted([scopes.read], caller.scopes);
}
