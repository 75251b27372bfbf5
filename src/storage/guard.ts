import { Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';

/** An error thrown by the rules of a batch: a bug of ours, not a fault of the database. */
export class ThrownByRules extends Error {
  override readonly name = 'ThrownByRules';
}

/** Turns errors of the driver into refusals of the catalogue. Synchronous stores stay synchronous. */
export function guard<Store extends object>(store: Store, engine: Engine, isClosed = () => false): Store {
  const translated = (error: unknown): unknown =>
    error instanceof ThrownByRules ? error.cause : (engine.unavailable(error) ?? error);
  const reject = (error: unknown) => {
    throw translated(error);
  };
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    (...parameters: unknown[]) => {
      if (isClosed())
        return Promise.reject(new Refusal('storage_unavailable', { detail: 'the storage is closed' }));
      try {
        const result = method(...parameters);
        return result instanceof Promise ? result.catch(reject) : result;
      } catch (error) {
        throw translated(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}
