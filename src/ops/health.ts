import { type Clock, every } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import { createRevision } from '../base/random.ts';
import { singleFlight } from '../base/single-flight.ts';
import type { Storage } from '../storage/port.ts';

/** GET /livez: the process runs and its event loop turns. */
export const live: PublicHandler = () => json({ status: 'ok' });

export interface ReadinessAnswer {
  readonly status: number;
  readonly body: {
    readonly status: string;
    readonly checks: Readonly<Record<string, string>>;
    readonly [part: string]: unknown;
  };
}

interface ReadinessParts {
  readonly storage: Pick<Storage, 'ping' | 'documents'>;
  readonly keySets: () => readonly KeySetStatus[];
  /** Why this process must not go on with its collections; null if it can. */
  readonly findCollectionsFault: () => Promise<string | null>;
  /** `doctor` recognises this service by the `kid`s of its keys, and its port by `port`. */
  readonly signingKeyIds: () => readonly string[];
  readonly port: number;
  readonly isStopping: () => boolean;
  readonly clock: Clock;
}

export interface KeySetStatus {
  readonly name: string;
  readonly usable: boolean;
  readonly keys: number;
  readonly alarmingKeys: number;
  readonly ageSeconds: number | null;
  readonly staleLeftSeconds: number;
  readonly nextFetchSeconds: number;
  readonly lastFault: string | null;
}

/** An alert that waits for a minute needs several answers. */
const askEveryMs = 10_000;

/**
 * GET /readyz: 200 if the database accepts writes, the keys of a provider are usable and the collections are the active
 * ones. The process also asks itself: callers that obey /readyz send no requests that could raise an alert.
 */
export function createReadiness(parts: ReadinessParts) {
  const { keySets, signingKeyIds, port, isStopping, clock } = parts;
  const database = createDatabaseProbe(parts);
  let last: Awaited<ReturnType<typeof database.probe>> = { fault: null, collectionsFault: null };
  let cancel = () => {};
  const usableKeys = () => keySets().filter((keys) => keys.usable);
  /** By the last answer of the database. A stop is no fault. */
  const isHealthy = () => last.fault === null && last.collectionsFault === null && usableKeys().length > 0;

  const answer = async (): Promise<ReadinessAnswer> => {
    last = await database.probe();
    const { fault, collectionsFault } = last;
    const providers = keySets();
    const [first] = providers;
    const isReady = isHealthy() && !isStopping();
    const body = {
      status: isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready',
      checks: {
        database: fault?.check ?? 'ok',
        provider_keys: keysCheck(usableKeys().length, providers.length),
        ...(collectionsFault === null ? {} : { collections: 'outdated' }),
      },
      ...(fault === null ? {} : { database_fault: fault.reason }),
      ...(collectionsFault === null ? {} : { collections_fault: collectionsFault }),
      ...(providers.length === 1 && first !== undefined
        ? { provider_keys: described(first) }
        : { providers: Object.fromEntries(providers.map((keys) => [keys.name, described(keys)])) }),
      signing_keys: signingKeyIds(),
      port,
    };
    return { status: isReady ? 200 : 503, body };
  };

  const start = () => {
    cancel = every(clock, askEveryMs, () => void answer());
  };
  return { answer, isHealthy, noteRefusedWrite: database.noteRefusedWrite, start, stop: () => cancel() };
}

/** The answer while the service starts. `work`: what takes long, such as an index of a large table. */
export function startingReadiness(work: string | null, port: number): ReadinessAnswer {
  const checks = { database: 'starting' };
  return { status: 503, body: { status: 'starting', checks, ...(work && { work }), signing_keys: [], port } };
}

function keysCheck(usable: number, all: number): string {
  if (usable === 0) return 'not available';
  return usable === all ? 'ok' : 'some not available';
}

function described(keys: KeySetStatus) {
  return {
    usable_keys: keys.keys,
    age_seconds: rounded(keys.ageSeconds),
    next_fetch_in_seconds: rounded(keys.nextFetchSeconds),
    stale_seconds_left: rounded(keys.staleLeftSeconds),
    last_fault: keys.lastFault,
  };
}

function rounded(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds);
}

interface DatabaseFault {
  readonly check: 'does not answer' | 'takes no writes';
  readonly reason: string;
}

/** A probe is answered within a second. */
const answerWithinMs = 800;
/** At most one write in this time, for any number of probes. */
const writeEveryMs = 1_000;
const document = 'readiness';
/** 128 KiB that do not compress: on a disk that is full for the writes of callers, a few bytes may still fit. */
const createFiller = () => Array.from({ length: 8_192 }, createRevision).join('');

/**
 * Checks with a small write that the database accepts writes: a full disk, a locked file or a read-only server shows in no
 * other way. Then checks that the collections are the active ones. One probe at a time, and each caller waits for a bounded
 * time.
 */
function createDatabaseProbe({ storage, findCollectionsFault, clock }: ReadinessParts) {
  let collectionsFault: string | null = null;
  /** Refused writes that no successful large write has followed. */
  let refusedWrites = 0;
  let step: DatabaseFault['check'] = 'does not answer';
  let writtenAt = Number.NEGATIVE_INFINITY;

  const write = singleFlight(async (): Promise<DatabaseFault | null> => {
    try {
      step = 'does not answer';
      await storage.ping();
      step = 'takes no writes';
      const refused = refusedWrites;
      if (refused === 0 && clock.monotonic() - writtenAt < writeEveryMs) return null;
      const content = refused > 0 ? createFiller() : new Date(clock.now()).toISOString();
      await storage.documents.write(document, content, new Uint8Array());
      refusedWrites -= refused;
      collectionsFault = await findCollectionsFault();
      writtenAt = clock.monotonic();
      return null;
    } catch (error) {
      writtenAt = Number.NEGATIVE_INFINITY;
      const reason = error instanceof Refusal ? (error.options.detail ?? error.code) : 'an unexpected error';
      return { check: step, reason };
    }
  });

  return {
    async probe() {
      const late = Promise.withResolvers<DatabaseFault>();
      const cancel = clock.after(answerWithinMs, () =>
        late.resolve({ check: step, reason: `no answer within ${answerWithinMs / 1000} s` }),
      );
      const fault = await Promise.race([write(), late.promise]).finally(cancel);
      return { fault, collectionsFault };
    },
    /** The database has refused a write: the next probe writes as much as a caller, whenever the last one was. */
    noteRefusedWrite() {
      refusedWrites += 1;
    },
  };
}
