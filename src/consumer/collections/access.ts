import { isScopeName } from '../../base/scopes.ts';
import { found, readChoice, readMapping, type Say } from '../../base/yaml/mistakes.ts';
import type { CollectionAccess, StateMachine } from './collection.ts';

/** The member `access` of a declaration. */
export function readAccess(value: unknown, say: Say): CollectionAccess {
  const members =
    value === undefined ? {} : readMapping(value, '/access', ['read', 'clients', 'scopes'], say);
  const { read, clients, scopes = {} } = members ?? {};
  const named = readMapping(scopes, '/access/scopes', ['read', 'write'], say) ?? {};
  const readScope = (scope: unknown, pointer: string): string | null => {
    if (scope === undefined || (typeof scope === 'string' && isScopeName(scope))) return scope ?? null;
    say(pointer, `must be a scope without spaces and quotes, such as bookings.write; ${found(scope)}`);
    return null;
  };
  return {
    read: readChoice(read, '/access/read', ['owner', 'everyone'], say),
    clients: readChoice(clients, '/access/clients', ['none', 'own', 'any'], say),
    scopes: {
      read: readScope(named.read, '/access/scopes/read'),
      write: readScope(named.write, '/access/scopes/write'),
    },
  };
}

/** An action that nobody can ever take is a mistake. */
export function checkWhoActs(machine: StateMachine | null, { clients }: CollectionAccess, say: Say): void {
  for (const [state, actions] of clients === 'none' ? (machine?.states ?? []) : []) {
    for (const [action, { by }] of actions) {
      if (by !== 'client') continue;
      say(
        `/states/${state}/${action}`,
        'is for clients, and there are none here. Set "access.clients" to "any" or "own"',
      );
    }
  }
}
