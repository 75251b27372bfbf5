import type { Collection } from '../api/types.ts';

/** Who sees what somebody makes here, as the collection has it: nobody is to find out afterwards. */
export function whoReads({ access: { read, clients } }: Collection): string {
  const isWithClients = clients === 'any';
  if (read === 'everyone') {
    const who = isWithClients ? 'you and the clients of this service' : 'you';
    return `Everybody who signs in can read what you make here; only ${who} can change it.`;
  }
  return isWithClients
    ? 'Only you and the clients of this service see what you make here.'
    : 'Whatever you make stays between you and this service.';
}
