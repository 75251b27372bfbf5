import type { Collection } from '../api/types.ts';
import { isReadByEveryone, isShared } from './roles.ts';

/** Who can read the records of a collection. The person learns it before they create one. */
export function whoReads(collection: Collection): string {
  const isWithClients = collection.access.clients === 'any';
  if (isShared(collection)) return whoReadsShared(collection, isWithClients);
  if (isReadByEveryone(collection)) {
    const who = isWithClients ? 'you and the clients of this service' : 'you';
    return `Everybody who signs in can read what you make here; only ${who} can change it.`;
  }
  return isWithClients
    ? 'Only you and the clients of this service see what you make here.'
    : 'What you make here stays between you and this service.';
}

function whoReadsShared(collection: Collection, isWithClients: boolean): string {
  if (isReadByEveryone(collection))
    return 'Everybody who signs in can read what you make here, and act on it as its buttons allow.';
  return isWithClients
    ? 'Only you, the people with a role in a record and the clients of this service see what you make here.'
    : 'Only you and the people with a role in a record see what you make here.';
}
