import { OperatorError, Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';
import { migrate, newestVersion, schemaVersion } from './migrations.ts';
import type { Storage } from './port.ts';
import { assertionStore } from './stores/assertions.ts';
import { auditStore } from './stores/audit.ts';
import { clientStore } from './stores/clients.ts';
import { consumerStore } from './stores/consumers.ts';
import { shelf } from './stores/shelf.ts';
import { signingKeyStore } from './stores/signing-keys.ts';
import { standingStore } from './stores/standing.ts';

/** A migrated database behind the port. The queries are written once; an engine is what differs. */
export async function createStorage(engine: Engine, now: number): Promise<Storage> {
  try {
    await migrate(engine, now);
  } catch (error) {
    await engine.close();
    throw asOperatorError(engine, error);
  }
  const { database } = engine;
  let closed = false;
  /** Lets every method reject with the catalogue's error instead of a driver's. */
  const guarded = <Store extends object>(store: Store): Store => {
    const wrapped = Object.entries(store).map(([name, method]) => [
      name,
      async (...parameters: unknown[]) => {
        if (closed) throw new Refusal('storage_unavailable', { detail: 'the storage is closed' });
        try {
          return await method(...parameters);
        } catch (error) {
          throw engine.unavailable(error) ?? error;
        }
      },
    ]);
    return Object.fromEntries(wrapped);
  };
  return {
    clients: guarded(clientStore(engine)),
    consumers: guarded(consumerStore(engine)),
    signingKeys: guarded(signingKeyStore(engine)),
    shelf: guarded(shelf(database)),
    standing: guarded(standingStore(engine)),
    audit: guarded(auditStore(engine)),
    assertions: guarded(assertionStore(engine)),
    ...guarded({
      async ping() {
        const version = await schemaVersion(database);
        if (version === newestVersion) return;
        throw new Refusal('storage_unavailable', {
          detail: `schema version ${version}, expected ${newestVersion}`,
        });
      },
    }),
    close() {
      closed = true;
      return engine.close();
    },
  };
}

function asOperatorError(engine: Engine, error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const refusal = engine.unavailable(error);
  if (refusal === null) return error;
  return new OperatorError(`The database set in DATABASE_URL cannot be used: ${refusal.options.detail}.`, {
    cause: error,
  });
}
