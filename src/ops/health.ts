import { json, type PublicHandler } from '../base/handler.ts';
import type { Storage } from '../storage/port.ts';

/** GET /livez: the process runs and its event loop turns. Says nothing of anybody else. */
export const live: PublicHandler = () => json({ status: 'ok' });

export interface ReadinessParts {
  readonly storage: Pick<Storage, 'ping'>;
  readonly providerKeys: { status(): KeySetStatus };
  readonly isStopping: () => boolean;
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

/** GET /readyz: send traffic here or not. 200 only when a request with a good token would be answered. */
export function ready({ storage, providerKeys, isStopping }: ReadinessParts): PublicHandler {
  return async () => {
    const keys = providerKeys.status();
    const database = await storage.ping().then(
      () => true,
      () => false,
    );
    const isReady = database && keys.usable && !isStopping();
    const body = {
      status: isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready',
      checks: {
        database: database ? 'ok' : 'does not answer',
        provider_keys: keys.usable ? 'ok' : 'not at hand',
      },
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
