import type { BlockList } from 'node:net';
import { Refusal } from '../base/errors.ts';
import { isTrustedProxy } from './client-address.ts';

/** Just enough of a request to tell how it came in. */
interface Arrival {
  readonly peerAddress: string | undefined;
  readonly isEncrypted: boolean;
  readonly forwardedProto: string | undefined;
}

export type CheckTransport = (arrival: Arrival) => void;

/**
 * HTTPS only. A connection of our own TLS is fine. With trusted proxies, only they are heard, and only when they say
 * that the caller came over https. With neither, `config` has made sure that we listen on loopback alone, and
 * X-Forwarded-Proto is whatever a caller writes, so it counts for nothing.
 */
export function createTransportCheck(trustedProxies: BlockList): CheckTransport | null {
  if (trustedProxies.rules.length === 0) return null;
  return ({ peerAddress, isEncrypted, forwardedProto }) => {
    if (isEncrypted) return;
    if (!isTrustedProxy(trustedProxies, peerAddress)) {
      throw new Refusal('https_required', { detail: 'peer is no trusted proxy' });
    }
    // Every hop that a chain of proxies reports must have been https.
    const allHttps = forwardedProto?.split(',').every((hop) => hop.trim().toLowerCase() === 'https');
    if (!allHttps) throw new Refusal('https_required', { detail: 'X-Forwarded-Proto is not "https"' });
  };
}
