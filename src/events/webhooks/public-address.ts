import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Networks that are not of the internet (IANA's registries of special addresses, RFC 6890). */
const special = new BlockList();
for (const [address, bits] of [
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
] as const)
  special.addSubnet(address, bits, 'ipv4');
// Protocol assignments (Teredo among them), documentation, and 6to4, which leads to any IPv4 address.
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(address, bits, 'ipv6');

/** Global unicast, and IPv4-mapped addresses, which `special` compares with its IPv4 networks as well. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
global6.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Whether an address, in any spelling that a resolver or the URL parser gives it, is one of the internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  // With a zone it is an address of one link.
  if (!isIPv6(address) || address.includes('%')) return false;
  return global6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
