import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks that are not of the internet (IANA's registry of special addresses, RFC 6890). */
const special4 = networks('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // In the middle of the internet, but at Azure the machine's own host: it hands out credentials, too.
  ['168.63.129.16', 32],
  // Link-local: where clouds hand out the credentials of a machine.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);

/** All that is given out of IPv6. What lies outside (loopback, private, link-local, NAT64, multicast) is not of the internet. */
const global6 = networks('ipv6', [['2000::', 3]]);

/** Within it: assignments to protocols (Teredo among them), documentation, and 6to4, which leads to any IPv4 address. */
const special6 = networks('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

/** Whether an address, in any spelling that a resolver or the URL parser gives it, is one of the internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, 'ipv4');
  // With a zone it is an address of one link.
  if (!isIPv6(address) || address.includes('%')) return false;
  const mapped = mappedIpv4(address);
  if (mapped !== null) return isPublicAddress(mapped);
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** The IPv4 address that an IPv6 address such as `::ffff:127.0.0.1` stands for: the socket connects to that. */
function mappedIpv4(address: string): string | null {
  const plain = URL.parse(`http://[${address}]`)?.hostname ?? '';
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(plain) ?? [];
  if (high === undefined || low === undefined) return null;
  const [one, other] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [one >> 8, one & 0xff, other >> 8, other & 0xff].join('.');
}

function networks(family: 'ipv4' | 'ipv6', list: readonly (readonly [string, number])[]): BlockList {
  const matcher = new BlockList();
  for (const [address, bits] of list) matcher.addSubnet(address, bits, family);
  return matcher;
}
