import { accessTo } from '../base/file-access.ts';
import type { Engine, MissingRights } from './engine.ts';
import { guard } from './guard.ts';
import { type MigrationPlan, planOf } from './migration-plan.ts';
import { type Migration, migrations } from './migrations.ts';
import type { Reading } from './port.ts';
import { openPostgres } from './postgres/engine.ts';
import { isTooNew, isUnreleased, missingSteps, schemaOf, unreleased } from './schema-state.ts';
import { lookIntoSqlite } from './sqlite/look.ts';
import { sqliteResidue } from './sqlite/residue.ts';
import { unavailable as sqliteUnavailable } from './sqlite/unavailable.ts';
import { auditStore } from './stores/audit.ts';
import { clientReader } from './stores/clients.ts';
import { consumerStore } from './stores/consumers.ts';
import { deliveryReader } from './stores/deliveries.ts';
import { documents } from './stores/documents.ts';
import { erasureStore } from './stores/erasures.ts';
import { recordStore } from './stores/records.ts';
import { signingKeyStore } from './stores/signing-keys.ts';
import { standingStore } from './stores/standing.ts';
import { webhookReader } from './stores/webhooks.ts';

export type Look =
  | { readonly state: 'absent' }
  /** `advice`: what to do about it, where that is known. */
  | { readonly state: 'unusable'; readonly detail: string; readonly advice: string | null }
  /** Its schema is that of an older release, or of a newer one that has taken away what this one needs. */
  | {
      readonly state: 'other_version';
      readonly isTooNew: boolean;
      readonly plan: MigrationPlan;
      /** The next start cannot migrate it: the rights that are missing, and how to give them. */
      readonly missingRights: MissingRights | null;
    }
  | {
      readonly state: 'ready';
      readonly plan: MigrationPlan;
      readonly reading: Reading;
      /** It can be read, and a service could not start with it. */
      readonly missingRights: MissingRights | null;
    };

type Place =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** Looks into a database and changes nothing: no file is made, no table, no row. */
export async function lookInto<T>(
  place: Place,
  work: (look: Look) => Promise<T>,
  steps: readonly Migration[] = migrations,
): Promise<T> {
  if (place.engine === 'sqlite') {
    const access = accessTo(place.file);
    if (access.state === 'absent') return work({ state: 'absent' });
    if (access.state === 'forbidden') return work({ ...access, state: 'unusable' });
  }
  let engine: Engine;
  try {
    engine =
      place.engine === 'sqlite'
        ? sqliteReader(place.file)
        : openPostgres(place.url, { poolSize: 1, keepsStatements: false });
  } catch (error) {
    return work({
      state: 'unusable',
      detail: sqliteUnavailable(error)?.options.detail ?? (error as Error).message,
      advice: null,
    });
  }
  try {
    return await work(await lookAt(engine, steps));
  } finally {
    await engine.close();
  }
}

async function lookAt(engine: Engine, steps: readonly Migration[]): Promise<Look> {
  try {
    const toLook = await engine.missingRights('look');
    if (toLook !== null) return { state: 'unusable', detail: toLook.found, advice: toLook.advice };
    const schema = await schemaOf(engine, engine.database);
    if (isUnreleased(schema, steps))
      return { state: 'unusable', detail: unreleased.found, advice: unreleased.advice };
    const plan = planOf(schema, steps);
    const missingRights = await engine.missingRights('serve');
    const tooNew = isTooNew(schema, steps);
    if (tooNew || missingSteps(schema, steps).length > 0)
      return { state: 'other_version', isTooNew: tooNew, plan, missingRights };
    return { state: 'ready', plan, reading: readingOf(engine), missingRights };
  } catch (error) {
    const detail = engine.unavailable(error)?.options.detail ?? (error as Error).message;
    return { state: 'unusable', detail, advice: null };
  }
}

function readingOf(engine: Engine): Reading {
  return {
    clients: guard(clientReader(engine.database), engine),
    consumers: guard(consumerStore(engine), engine),
    signingKeys: guard(signingKeyStore(engine), engine),
    documents: guard(documents(engine.database), engine),
    standing: guard(standingStore(engine), engine),
    audit: guard(auditStore(engine), engine),
    records: guard(recordStore(engine, notNoted), engine),
    erasures: guard(erasureStore(engine), engine),
    webhooks: guard(webhookReader(engine.database), engine),
    deliveries: guard(deliveryReader(engine.database), engine),
  };
}

const notNoted = {
  digestOf: () => new Uint8Array(),
  append: () => Promise.reject(new Error('commands that look erase nobody')),
};

function sqliteReader(file: string): Engine {
  const database = lookIntoSqlite(file);
  const nothing = async () => {};
  return {
    name: 'sqlite',
    database,
    reader: database,
    lock: nothing,
    read: () => Promise.reject(new Error('commands that look ask through Kysely')),
    openBatches: () => Promise.reject(new Error('commands that look do not write')),
    unhurried: (work) => work(database),
    tables: {
      alter: () => Promise.reject(new Error('commands that look do not write')),
      buildIndex: () => Promise.reject(new Error('commands that look do not write')),
    },
    announce: nothing,
    watch: async () => nothing,
    heardBy: () => ({ way: 'look', because: 'a command does not listen' }),
    appended: { note: () => {}, watch: async () => nothing },
    residue: sqliteResidue(database),
    missingRights: async () => null,
    unavailable: sqliteUnavailable,
    close: () => database.destroy(),
  };
}
