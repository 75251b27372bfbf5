import { type BlockList, isIP, isIPv4, type Socket } from 'node:net';

export function isTrustedProxy(proxies: BlockList, address: string | undefined): boolean {
  const plain = withoutMapping(address ?? '');
  return isIP(plain) !== 0 && proxies.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/**
 * The address of a caller, for limits only; it is never stored. X-Forwarded-For counts only from a trusted proxy, and of its
 * entries only the last one that is not a trusted proxy: callers can invent the others. IPv6 addresses count by network.
 */
export function callerAddress(
  proxies: BlockList,
  peer: string | undefined,
  forwardedFor: string | undefined,
): string {
  if (forwardedFor === undefined || !isTrustedProxy(proxies, peer))
    return network(withoutMapping(peer ?? ''));
  const hops = forwardedFor.split(',').map((hop) => withoutMapping(withoutPort(hop.trim())));
  const caller = hops.findLast((hop) => !isTrustedProxy(proxies, hop)) ?? '';
  return network(isIP(caller) === 0 ? withoutMapping(peer ?? '') : caller);
}

export function peerAddress({ remoteAddress }: Socket): string {
  return network(withoutMapping(remoteAddress ?? ''));
}

/** A socket that listens on both families shows an IPv4 peer as ::ffff:a.b.c.d. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
}

/** Some proxies write the port too: a.b.c.d:port, [v6]:port; and some write [v6] without one. */
function withoutPort(hop: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop) ?? [];
  return v6 ?? v4 ?? hop;
}

/** An IPv6 address by its first 64 bits. */
function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = tail.split(':').filter((group) => group !== '');
  const zeros = address.includes('::') ? Array(Math.max(8 - left.length - right.length, 0)).fill('0') : [];
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
