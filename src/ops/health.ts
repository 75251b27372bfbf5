import type { Answer, PublicHandler } from '../base/handler.ts';
import type { Storage } from '../storage/port.ts';

/** GET /livez: the process runs and its event loop turns. Says nothing of anybody else. */
export const live: PublicHandler = () => ({ status: 200, body: { status: 'ok' } });

export interface ReadinessParts {
  readonly storage: Pick<Storage, 'ping'>;
  readonly providerKeys: { status(): { readonly usable: boolean; readonly ageSeconds: number | null } };
  readonly isStopping: () => boolean;
}

/** GET /readyz: send traffic here or not. 200 only when a request with a good token would be answered. */
export function ready({ storage, providerKeys, isStopping }: ReadinessParts): PublicHandler {
  return async (): Promise<Answer> => {
    const { usable, ageSeconds } = providerKeys.status();
    const database = await storage.ping().then(
      () => true,
      () => false,
    );
    const isReady = database && usable && !isStopping();
    return {
      status: isReady ? 200 : 503,
      body: {
        status: isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready',
        checks: {
          database: database ? 'ok' : 'does not answer',
          provider_keys: usable ? 'ok' : 'not at hand',
        },
        provider_keys_age_seconds: ageSeconds === null ? null : Math.round(ageSeconds),
      },
    };
  };
}
