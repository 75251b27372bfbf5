import type { Clock } from '../base/clock.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import type { Storage } from '../storage/port.ts';
import { createDatabaseProbe } from './database-probe.ts';

/** GET /livez: the process runs and its event loop turns. Says nothing of anybody else. */
export const live: PublicHandler = () => json({ status: 'ok' });

export interface ReadinessParts {
  readonly storage: Pick<Storage, 'ping' | 'documents'>;
  readonly keySets: () => readonly KeySetStatus[];
  /** The names of our own keys that everybody may know: by them `doctor` tells this service from another. */
  readonly signingKeyIds: () => readonly string[];
  readonly isStopping: () => boolean;
  readonly clock: Clock;
}

/** The keys of one provider. */
export interface KeySetStatus {
  /** Of the provider. */
  readonly name: string;
  readonly usable: boolean;
  readonly keys: number;
  readonly alarmingKeys: number;
  readonly ageSeconds: number | null;
  readonly staleLeftSeconds: number;
  readonly nextFetchSeconds: number;
  readonly lastFault: string | null;
}

/** GET /readyz: send traffic here or not. */
export function ready(parts: ReadinessParts): PublicHandler {
  const find = createReadiness(parts);
  return async () => {
    const { status, body } = await find();
    return json(body, { status });
  };
}

/**
 * 200 only when a request with a good token would be answered, a write too: the outage of one provider of several shuts
 * nobody else out.
 */
export function createReadiness({ storage, keySets, signingKeyIds, isStopping, clock }: ReadinessParts) {
  const findFault = createDatabaseProbe({ storage, clock });
  return async () => {
    const providers = keySets();
    const [first] = providers;
    const usable = providers.filter((keys) => keys.usable);
    const fault = await findFault();
    const isReady = fault === null && usable.length > 0 && !isStopping();
    const body = {
      status: isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready',
      checks: {
        database: fault?.check ?? 'ok',
        provider_keys: keysCheck(usable.length, providers.length),
      },
      ...(fault === null ? {} : { database_fault: fault.reason }),
      ...(providers.length === 1 && first !== undefined
        ? { provider_keys: described(first) }
        : { providers: Object.fromEntries(providers.map((keys) => [keys.name, described(keys)])) }),
      signing_keys: signingKeyIds(),
    };
    return { status: isReady ? 200 : 503, body };
  };
}

function keysCheck(usable: number, all: number): string {
  if (usable === 0) return 'not at hand';
  return usable === all ? 'ok' : 'some not at hand';
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
