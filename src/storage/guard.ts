import { Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';

/** What the rules of a batch threw by themselves: nobody's business here, even if it looks like a driver's error. */
export class ThrownByRules extends Error {
  override readonly name = 'ThrownByRules';
}

/** Lets every method reject with the catalogue's error instead of a driver's. */
export function guard<Store extends object>(store: Store, engine: Engine, isClosed = () => false): Store {
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      if (isClosed()) throw new Refusal('storage_unavailable', { detail: 'the storage is closed' });
      try {
        return await method(...parameters);
      } catch (error) {
        if (error instanceof ThrownByRules) throw error.cause;
        throw engine.unavailable(error) ?? error;
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}
