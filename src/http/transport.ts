import { type BlockList, isIPv4 } from 'node:net';
import { Refusal } from '../base/errors.ts';

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
export function createTransportCheck(trustedProxies: BlockList): CheckTransport {
  const behindProxy = trustedProxies.rules.length > 0;
  return ({ peerAddress, isEncrypted, forwardedProto }) => {
    if (isEncrypted || !behindProxy) return;
    if (!isTrusted(trustedProxies, peerAddress))
      throw new Refusal('https_required', { detail: 'peer is no trusted proxy' });
    // Every hop that a chain of proxies reports must have been https.
    const allHttps = forwardedProto?.split(',').every((hop) => hop.trim().toLowerCase() === 'https');
    if (!allHttps) throw new Refusal('https_required', { detail: 'X-Forwarded-Proto is not "https"' });
  };
}

function isTrusted(proxies: BlockList, address: string | undefined): boolean {
  if (address === undefined) return false;
  // A socket that listens on both families shows an IPv4 peer as ::ffff:a.b.c.d.
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return proxies.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}
