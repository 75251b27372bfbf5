import { Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';

/** An error that the rules of a batch threw: a bug of ours, and no fault of the database. */
export class ThrownByRules extends Error {
  override readonly name = 'ThrownByRules';
}

/** Turns errors of the driver into refusals of the catalogue. */
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
