import { OperatorError, Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';
import { migrate, newestVersion, schemaVersion } from './migrations.ts';
import type { Storage } from './port.ts';
import { clientStore } from './stores/clients.ts';
import { consumerStore } from './stores/consumers.ts';
import { signingKeyStore } from './stores/signing-keys.ts';

/** A migrated database behind the port. The queries are written once; an engine is what differs. */
export async function createStorage(engine: Engine, now: number): Promise<Storage> {
  try {
    await migrate(engine, now);
  } catch (error) {
    await engine.close();
    throw asOperatorError(engine, error);
  }
  const { database } = engine;
  return {
    clients: translating(engine, clientStore(database)),
    consumers: translating(engine, consumerStore(database)),
    signingKeys: translating(engine, signingKeyStore(engine)),
    ...translating(engine, {
      async ping() {
        const version = await schemaVersion(database);
        if (version === newestVersion) return;
        throw new Refusal('storage_unavailable', {
          detail: `schema version ${version}, expected ${newestVersion}`,
        });
      },
    }),
    close: () => engine.close(),
  };
}

/** Lets every method reject with the catalogue's error instead of a driver's. */
function translating<Store extends object>(engine: Engine, store: Store): Store {
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      try {
        return await method(...parameters);
      } catch (error) {
        throw engine.unavailable(error) ?? error;
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}

function asOperatorError(engine: Engine, error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const refusal = engine.unavailable(error);
  if (refusal === null) return error;
  return new OperatorError(`The database set in DATABASE_URL cannot be used: ${refusal.options.detail}.`, {
    cause: error,
  });
}
