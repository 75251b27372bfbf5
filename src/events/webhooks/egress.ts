import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../../base/loopback.ts';
import { singleFlight } from '../../base/single-flight.ts';

export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface EgressRules {
  /** Origins that may be anywhere; `loopback` stands for every port of this machine. */
  readonly allow: readonly string[];
  /** The address of this service, which must not be a receiver. */
  readonly ownUrl: string;
  readonly resolve?: Resolve;
}

/** Why an address cannot be a receiver: what was expected, what was found, and what to do. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly code: 'address_refused' | 'name_unknown';

  constructor(code: EgressError['code'], sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Ports above 1023 where something else than HTTP listens, and would act on what it can read of a request. */
const otherProtocols: ReadonlySet<number> = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432,
  5672, 5900, 5984, 6000, 6379, 6380, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300,
  10080, 10250, 11211, 27017,
]);

export type Egress = ReturnType<typeof createEgress>;

/** Webhooks may go to public addresses over https, and to the origins in WEBHOOK_ALLOW. */
export function createEgress({ allow, ownUrl, resolve = resolveAll }: EgressRules) {
  const own = new URL(ownUrl);
  const isAllowed = ({ origin, hostname }: URL) =>
    allow.includes(origin) || (allow.includes('loopback') && isLoopback(hostname));

  /** Throws if the URL alone shows that it is not allowed. */
  const readUrl = (text: string): { readonly url: URL; readonly isAllowed: boolean } => {
    const url = URL.parse(text);
    if (url === null)
      throw refused(`an https URL; found "${text}"`, 'Example: https://hooks.example.org/vestibule');
    if (url.username !== '' || url.password !== '')
      throw refused('a URL without user and password', 'The signature tells the receiver who it is from.');
    if (text.includes('#')) throw refused('a URL without a fragment ("#")', 'Leave it out.');
    const allowed = isAllowed(url) && (url.protocol === 'http:' || url.protocol === 'https:');
    if (url.origin === own.origin)
      throw refused('another host than this service', 'This service would send its events to itself.');
    if (allowed) return { url, isAllowed: true };
    const name = `WEBHOOK_ALLOW=${url.origin === 'null' ? 'https://hooks.internal' : url.origin}`;
    const named = `To allow a receiver of your own, set ${name}`;
    if (bareName(url) === bareName(own)) throw refused('another host than this service', named);
    if (url.protocol !== 'https:') throw refused(`an https URL; found "${url.protocol}"`, named);
    if (url.port !== '' && (Number(url.port) <= 1023 || otherProtocols.has(Number(url.port))))
      throw refused(`port 443 or one above 1023 that no other protocol uses; found ${url.port}`, named);
    const literal = literalAddress(url);
    if (literal !== null && !isPublicAddress(literal)) throw notPublic([literal], name);
    return { url, isAllowed: false };
  };

  /** All addresses of a name, each one checked. Shared, because a lookup occupies a thread of Node's pool. */
  const vettedAddresses = singleFlight(async (name: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(name).catch(() => []);
    if (addresses.length === 0)
      throw new EgressError(
        'name_unknown',
        `The name "${name}" does not resolve to an address. Check the name, and the DNS resolver of this machine.`,
      );
    const internal = addresses.filter(({ address }) => !isPublicAddress(address));
    if (internal.length > 0)
      throw notPublic(
        internal.map(({ address }) => address),
        'WEBHOOK_ALLOW=<origin>',
      );
    return addresses;
  });

  return {
    readUrl,
    vettedAddresses,
    async check(text: string): Promise<void> {
      const { url, isAllowed: allowed } = readUrl(text);
      if (!allowed && literalAddress(url) === null) await vettedAddresses(url.hostname);
    },
  };
}

/** The IP address in a URL without a name, in the normal form of the URL parser. */
function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? null : bare;
}

/** Without the final dot of a fully qualified name. */
function bareName({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function notPublic(addresses: readonly string[], name: string): EgressError {
  return refused(
    `a public address; found ${addresses.join(', ')}`,
    `To allow a receiver inside your network, set ${name}`,
  );
}

function refused(expected: string, advice: string): EgressError {
  return new EgressError('address_refused', `A webhook needs ${expected}. ${advice}`);
}

/** The resolver of the machine; IPv4 and IPv6. */
const resolveAll: Resolve = (name) => lookup(name, { all: true, order: 'verbatim' });

/** Networks that are not of the internet (IANA's registries of special addresses, RFC 6890). */
const special = new BlockList();
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // In the middle of the internet, but at Azure the machine's own host: it hands out credentials, too.
  '168.63.129.16/32',
  // Link-local: where clouds hand out the credentials of a machine.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Protocol assignments (Teredo among them), documentation, and 6to4, which leads to any IPv4 address.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]) {
  const [address = '', bits] = network.split('/');
  special.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
}

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
