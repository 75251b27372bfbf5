import { OperatorError, Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';
import { guard } from './guard.ts';
import { migrate, newestVersion, schemaVersion } from './migrations.ts';
import type { BatchRulesSource, ClientMac, Storage, StorageKeys } from './port.ts';
import { assertionStore } from './stores/assertions.ts';
import { auditStore } from './stores/audit.ts';
import { clientStore } from './stores/clients.ts';
import { consumerStore } from './stores/consumers.ts';
import { documents } from './stores/documents.ts';
import { recordStore } from './stores/records.ts';
import { signingKeyStore } from './stores/signing-keys.ts';
import { standingStore } from './stores/standing.ts';

/** A migrated database behind the port. The queries are written once; an engine is what differs. */
export async function createStorage(engine: Engine, now: number, keys: StorageKeys): Promise<Storage> {
  try {
    await migrate(engine, now, keys);
    const missing = await engine.missingRights('serve');
    if (missing !== null) throw unusable(`${missing.found}. ${missing.advice}`);
  } catch (error) {
    const explained = await asOperatorError(engine, error);
    await engine.close();
    throw explained;
  }
  return storesOn(engine, keys.clientMac);
}

function storesOn(engine: Engine, clientMac: ClientMac): Storage {
  const { database, reader } = engine;
  let closed = false;
  const guarded = <Store extends object>(store: Store) => guard(store, engine, () => closed);
  return {
    clients: guarded(clientStore(engine, clientMac)),
    consumers: guarded(consumerStore(engine)),
    signingKeys: guarded(signingKeyStore(engine)),
    documents: guarded(documents(database)),
    standing: guarded(standingStore(engine)),
    audit: guarded(auditStore(engine)),
    assertions: guarded(assertionStore(engine)),
    records: guarded(recordStore(engine)),
    ...guarded({
      async ping() {
        // Never behind a write, which may have to wait.
        const version = await schemaVersion(reader);
        if (version === newestVersion) return;
        throw new Refusal('storage_unavailable', {
          detail: `schema version ${version}, expected ${newestVersion}`,
        });
      },
      openBatches: async (rules: BatchRulesSource) => guarded(await engine.openBatches(rules)),
    }),
    close() {
      closed = true;
      return engine.close();
    },
  };
}

async function asOperatorError(engine: Engine, error: unknown): Promise<unknown> {
  if (error instanceof OperatorError) return error;
  const refusal = engine.unavailable(error);
  if (refusal === null) return error;
  // Who cannot be asked has told what is wrong already.
  const missing = await engine.missingRights('serve').catch(() => null);
  const reason = missing === null ? `${refusal.options.detail}.` : `${missing.found}. ${missing.advice}`;
  return unusable(reason, error);
}

function unusable(reason: string, cause?: unknown): OperatorError {
  return new OperatorError(`The database set in DATABASE_URL cannot be used: ${reason}`, { cause });
}
