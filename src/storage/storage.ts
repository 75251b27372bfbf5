import { OperatorError, Refusal } from '../base/errors.ts';
import type { Begin } from '../base/progress.ts';
import { type Engine, type MissingRights, ThrownByRules } from './engine.ts';
import { migrate, unusable } from './migrate.ts';
import { type Migration, migrations, newestOf } from './migrations.ts';
import type { BatchRulesSource, OnReload, Storage, StorageKeys } from './port.ts';
import {
  isTooNew,
  type MigrationPlan,
  missingSteps,
  planOf,
  readSchema,
  type SchemaState,
  schemaOf,
  UnreleasedSchema,
} from './schema-state.ts';
import { auditStore } from './stores/audit.ts';
import { clientStore } from './stores/clients.ts';
import { consumerStore } from './stores/consumers.ts';
import { deliveryStore } from './stores/deliveries.ts';
import { documents, lastBackupIn, refuseMoved } from './stores/documents.ts';
import { erasureStore } from './stores/erasures.ts';
import { eventStore } from './stores/events.ts';
import { leaseStore } from './stores/leases.ts';
import { recordStore } from './stores/records.ts';
import { signingKeyStore } from './stores/signing-keys.ts';
import { standingStore } from './stores/standing.ts';
import { assertionStore } from './stores/used-once.ts';
import { webhookStore } from './stores/webhooks.ts';

export interface StorageOptions {
  /** Whether the start runs missing steps; otherwise the operator does. */
  readonly migrates?: boolean;
  readonly steps?: readonly Migration[];
  readonly begin?: Begin;
}

/** A migrated database behind the port. The queries are written once; only the engine differs. */
export async function createStorage(
  engine: Engine,
  now: number,
  keys: StorageKeys,
  { migrates = true, steps = migrations, begin }: StorageOptions = {},
): Promise<Storage> {
  try {
    if (migrates) await migrate(engine, now, 'expand', steps, begin);
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

/** Only migrates. Reports faults of the database as a start does. */
export async function migrateAndClose(
  engine: Engine,
  now: number,
  kind: Migration['kind'],
  steps: readonly Migration[] = migrations,
  begin?: Begin,
): Promise<readonly Migration[]> {
  try {
    return await migrate(engine, now, kind, steps, begin);
  } catch (error) {
    throw await asOperatorError(engine, error);
  } finally {
    await engine.close();
  }
}

/** A database that was opened read-only, and its state. */
export type FoundStorage =
  | { readonly state: 'absent' }
  /** `advice`: what to do about it, if known; `fault`: the code of the failure. */
  | {
      readonly state: 'unusable';
      readonly detail: string;
      readonly advice: string | null;
      readonly fault?: string | undefined;
    }
  /** The schema is of an older release, or of a newer release that has removed tables or columns that this one needs. */
  | {
      readonly state: 'other_version';
      readonly isTooNew: boolean;
      readonly plan: MigrationPlan;
      /** The next start cannot migrate it: the missing rights, and how to grant them. */
      readonly missingRights: MissingRights | null;
    }
  | {
      readonly state: 'ready';
      readonly plan: MigrationPlan;
      readonly storage: Storage;
      readonly missingRights: MissingRights | null;
    };

/** The stores of an engine that was opened read-only. Nothing is migrated. */
export async function findStorage(
  engine: Engine,
  steps: readonly Migration[] = migrations,
): Promise<FoundStorage> {
  try {
    const toLook = await engine.missingRights('look');
    if (toLook !== null) return { state: 'unusable', detail: toLook.found, advice: toLook.advice };
    const schema = await schemaOf(engine, engine.database);
    const plan = planOf(schema, steps);
    const missingRights = await engine.missingRights('serve');
    const tooNew = isTooNew(schema, steps);
    if (tooNew || missingSteps(schema, steps).length > 0)
      return { state: 'other_version', isTooNew: tooNew, plan, missingRights };
    return { state: 'ready', plan, storage: storesOn(engine, noKeys, steps), missingRights };
  } catch (error) {
    if (error instanceof UnreleasedSchema) throw error;
    const { detail = (error as Error).message, fault } = engine.unavailable(error)?.options ?? {};
    return { state: 'unusable', detail, advice: null, fault };
  }
}

const noKeys: StorageKeys = {
  clientMac: { of: notForReading, isGenuine: () => false },
  erasures: { digestOf: notForReading, topicOf: notForReading, append: notForReading },
};

function notForReading(): never {
  throw new Error('the database is open for reading only');
}

async function refuseUnmigrated(engine: Engine, steps: readonly Migration[]): Promise<void> {
  const state = await schemaOf(engine, engine.database);
  const fault = faultOf(state, steps);
  if (fault === null) return;
  throw new OperatorError(
    `The database has ${fault}, and MIGRATE is off. Run "npx vestibule migrate --plan" and do as it says, or start the release that it belongs to.`,
  );
}

/** Why this code cannot work with the schema; null if it can. */
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
      openBatches: async (rules: BatchRulesSource, onReload: OnReload = () => {}) =>
        guarded(await engine.openBatches(rules, onReload)),
      async describe() {
        const { version: schemaVersion, verdict: migration } = planOf(await readSchema(reader), steps);
        const lastBackup = await lastBackupIn(reader);
        return { ...(await engine.space()), schemaVersion, migration, lastBackup };
      },
    }),
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
  const missing = await engine.missingRights('serve').catch(() => null);
  const reason = missing === null ? `${refusal.options.detail}.` : `${missing.found}. ${missing.advice}`;
  return unusable(reason, error);
}

/** Turns errors of the driver into refusals of the catalogue. Synchronous stores stay synchronous. */
function guard<Store extends object>(store: Store, engine: Engine, isClosed = () => false): Store {
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
