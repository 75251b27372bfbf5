import type { Clock } from '../base/clock.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import type { Storage } from '../storage/port.ts';
import { createDatabaseProbe } from './database-probe.ts';

/** GET /livez: the process runs and its event loop turns. Says nothing of anybody else. */
export const live: PublicHandler = () => json({ status: 'ok' });

export interface ReadinessParts {
  readonly storage: Pick<Storage, 'ping' | 'documents'>;
  readonly providerKeys: { status(): KeySetStatus };
  readonly isStopping: () => boolean;
  readonly clock: Clock;
}

export interface KeySetStatus {
  readonly usable: boolean;
  readonly keys: number;
  readonly alarmingKeys: number;
  readonly ageSeconds: number | null;
  readonly staleLeftSeconds: number;
  readonly nextFetchSeconds: number;
  readonly lastFault: string | null;
}

/** GET /readyz: send traffic here or not. 200 only when a request with a good token would be answered, a write too. */
export function ready({ storage, providerKeys, isStopping, clock }: ReadinessParts): PublicHandler {
  const findFault = createDatabaseProbe({ storage, clock });
  return async () => {
    const keys = providerKeys.status();
    const fault = await findFault();
    const isReady = fault === null && keys.usable && !isStopping();
    const body = {
      status: isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready',
      checks: {
        database: fault?.check ?? 'ok',
        provider_keys: keys.usable ? 'ok' : 'not at hand',
      },
      ...(fault === null ? {} : { database_fault: fault.reason }),
      provider_keys: {
        usable_keys: keys.keys,
        age_seconds: rounded(keys.ageSeconds),
        next_fetch_in_seconds: rounded(keys.nextFetchSeconds),
        stale_seconds_left: rounded(keys.staleLeftSeconds),
        last_fault: keys.lastFault,
      },
    };
    return json(body, { status: isReady ? 200 : 503 });
  };
}

function rounded(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds);
}
