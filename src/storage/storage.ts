import { OperatorError, Refusal } from '../base/errors.ts';
import type { Engine } from './engine.ts';
import { guard } from './guard.ts';
import { type Manner, migrate, refuseUnreleased, unusable } from './migrate.ts';
import { type Migration, migrations, newestOf } from './migrations.ts';
import { refuseMoved } from './move/mark.ts';
import type { BatchRulesSource, Storage, StorageKeys } from './port.ts';
import { isTooNew, missingSteps, readSchema, type SchemaState, schemaOf } from './schema-state.ts';
import { assertionStore } from './stores/assertions.ts';
import { auditStore } from './stores/audit.ts';
import { clientStore } from './stores/clients.ts';
import { consumerStore } from './stores/consumers.ts';
import { deliveryStore } from './stores/deliveries.ts';
import { documents } from './stores/documents.ts';
import { erasureStore } from './stores/erasures.ts';
import { eventStore } from './stores/events.ts';
import { leaseStore } from './stores/leases.ts';
import { recordStore } from './stores/records.ts';
import { signingKeyStore } from './stores/signing-keys.ts';
import { standingStore } from './stores/standing.ts';
import { webhookStore } from './stores/webhooks.ts';

export interface StorageOptions {
  /** Whether missing steps are done, as far as they can be done beside older processes; else the operator does them. */
  readonly migrates?: boolean;
  readonly steps?: readonly Migration[];
}

/** A migrated database behind the port. The queries are written once; an engine is what differs. */
export async function createStorage(
  engine: Engine,
  now: number,
  keys: StorageKeys,
  { migrates = true, steps = migrations }: StorageOptions = {},
): Promise<Storage> {
  try {
    if (migrates) await migrate(engine, now, 'beside', steps);
    else await refuseUnmigrated(engine, steps);
    await refuseMoved(engine.database);
    const missing = await engine.missingRights('serve');
    if (missing !== null) throw unusable(`${missing.found}. ${missing.advice}`);
  } catch (error) {
    const explained = await asOperatorError(engine, error);
    await engine.close();
    throw explained;
  }
  return storesOn(engine, keys, steps);
}

/** Only migrates. What is wrong with the database is said as at a start. */
export async function migrateAndClose(
  engine: Engine,
  now: number,
  manner: Manner,
  steps: readonly Migration[] = migrations,
): Promise<readonly Migration[]> {
  try {
    return await migrate(engine, now, manner, steps);
  } catch (error) {
    throw await asOperatorError(engine, error);
  } finally {
    await engine.close();
  }
}

async function refuseUnmigrated(engine: Engine, steps: readonly Migration[]): Promise<void> {
  const state = await schemaOf(engine, engine.database);
  refuseUnreleased(state, steps);
  const fault = faultOf(state, steps);
  if (fault === null) return;
  throw new OperatorError(
    `The database has ${fault}, and MIGRATE is off. Run "npx vestibule migrate --plan" and do as it says, or start the release that it belongs to.`,
  );
}

/** Why this code cannot work with the schema as it is; null when it can. */
function faultOf(state: SchemaState, steps: readonly Migration[]): string | null {
  const needed = missingSteps(state, steps).at(-1);
  if (needed !== undefined) return `schema version ${state.version}, expected ${needed.version}`;
  if (!isTooNew(state, steps)) return null;
  return `schema version ${state.version} for releases that know version ${state.oldest}, expected ${newestOf(steps)}`;
}

function storesOn(
  engine: Engine,
  { clientMac, erasures }: StorageKeys,
  steps: readonly Migration[],
): Storage {
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
    records: guarded(recordStore(engine, erasures)),
    erasures: guarded(erasureStore(engine)),
    events: guarded(eventStore(engine)),
    webhooks: guarded(webhookStore(engine)),
    deliveries: guarded(deliveryStore(engine)),
    leases: guarded(leaseStore(engine)),
    ...guarded({
      async ping() {
        // Never behind a write, which may have to wait.
        const fault = faultOf(await readSchema(reader), steps);
        if (fault !== null) throw new Refusal('storage_unavailable', { detail: fault });
      },
      openBatches: async (rules: BatchRulesSource) => guarded(await engine.openBatches(rules)),
    }),
    heardBy: () => engine.heardBy(),
    engine: engine.name,
    sessionStatus: engine.sessionStatus ?? null,
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
