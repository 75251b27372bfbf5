import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/clock.ts';
import type { Config } from '../config/settings.ts';
import { lookInto } from '../storage/look.ts';
import type { ClientWithSecrets } from '../storage/port.ts';
import { whyNotRead } from './read-storage.ts';

/** By what clients can prove themselves at POST /token: how many of each kind, never which. */
export interface ClientAuthentication {
  readonly clients: number;
  /** With a secret that is alive. */
  readonly withSecrets: number;
  /** With a key that may sign with RS256: one for RSA that does not name PS256. */
  readonly withRs256: number;
}

/** Of the clients that are not disabled; a sentence when they cannot be read. Where no database is yet, there are none. */
export function inspectClients(config: Config, clock: Clock = systemClock) {
  return lookInto(config.databaseUrl, async (look): Promise<ClientAuthentication | string> => {
    if (look.state === 'absent') return { clients: 0, withSecrets: 0, withRs256: 0 };
    if (look.state !== 'ready') return whyNotRead(config, look);
    const clients = (await look.reading.clients.list()).filter(({ state }) => state !== 'disabled');
    const now = clock.now();
    const isAlive = ({ expiresAt }: ClientWithSecrets['secrets'][number]) =>
      expiresAt === null || expiresAt > now;
    return {
      clients: clients.length,
      withSecrets: clients.filter(({ secrets }) => secrets.some(isAlive)).length,
      withRs256: clients.filter(({ publicKeys }) => publicKeys !== null && maySignRs256(publicKeys)).length,
    };
  });
}

function maySignRs256(publicKeys: string): boolean {
  const { keys } = JSON.parse(publicKeys) as { readonly keys: readonly { kty?: unknown; alg?: unknown }[] };
  return keys.some(({ kty, alg }) => kty === 'RSA' && alg !== 'PS256');
}
