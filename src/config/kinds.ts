import { BlockList, isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { isScopeName, longestScopeName } from '../base/scopes.ts';
import { hasUnseen } from '../base/unicode.ts';

/** Parses the text of a setting, or throws an Error whose message says what was expected. */
export type Parse<T> = (text: string) => T;

export const text: Parse<string> = (value) => value;

function textThat(fits: (value: string) => boolean, expected: string): Parse<string> {
  return (value) => {
    if (fits(value)) return value;
    throw new Error(expected);
  };
}

/** A name that is compared character by character. An invisible character would make it a different name. */
export const visibleText = textThat(
  (value) => value !== '' && value.length <= 2000 && value.trim() === value && !hasUnseen(value),
  'must be a text of 1 to 2000 visible characters without blanks around it',
);

export function integer(min: number, max: number): Parse<number> {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

/** The number of processes; `auto` is one for each core available to this one. */
export const processCount: Parse<number> = (value) => {
  if (value === 'auto') return Math.min(availableParallelism(), maxProcesses);
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= maxProcesses) return number;
  throw new Error(`must be a whole number from 1 to ${maxProcesses}, or "auto"`);
};
const maxProcesses = 64;

export const flag: Parse<boolean> = (value) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new Error('must be "true" or "false"');
};

export function oneOf<const T extends string>(choices: readonly T[]): Parse<T> {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

export function list<T>(item: Parse<T>): Parse<readonly T[]> {
  return (value) => splitList(value).map(item);
}

function splitList(value: string): string[] {
  return value.split(/[\s,]+/).filter((part) => part !== '');
}

/** Scheme, host and port, written exactly as a browser writes them, because origins are compared as strings. */
export const origin: Parse<string> = (value) => {
  const url = webUrl(value);
  if (value !== url.origin && value !== `${url.origin}/`) {
    throw new Error(`must be an origin with no path, in its plain form: "${url.origin}"`);
  }
  return url.origin;
};

/** Where webhooks may be sent besides the internet: an origin, or any port of this machine. */
export const webhookTarget: Parse<string> = (value) => (value === 'loopback' ? value : origin(value));

/** A base URL, kept exactly as written; a trailing slash is refused. Only characters that are safe in headers are accepted. */
export const baseUrl: Parse<string> = (value) => {
  const url = webUrl(value);
  // A bare "?" or "#" does not appear in the parsed URL.
  if (/[?#]/.test(value) || url.username !== '' || url.password !== '') {
    throw new Error('must be a URL without user, query and fragment (a path is allowed)');
  }
  if (!/^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]+$/.test(value)) {
    const plain = url.href.replace(/\/$/, '');
    throw new Error(`must be in its plain form, which is valid in a header: "${plain}"`);
  }
  if (value.endsWith('/')) throw new Error('must not end with a slash, also after a path');
  return value;
};

function webUrl(value: string): URL {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error('must be an http or https URL');
  }
  return url;
}

/** The scope appears in challenges, so other characters could not be sent. */
export const scopeName = textThat(
  isScopeName,
  `must be a scope: up to ${longestScopeName} characters of printable ASCII without blanks, quotes and backslashes`,
);

export const urlPath = textThat(
  (value) => /^\/(?!\/)[A-Za-z0-9._~!$&'()*+,;=:@%/-]*$/.test(value),
  'must be a path that starts with one "/"',
);

export const host = textThat(
  (value) => isIP(value) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value),
  'must be an IP address or a host name',
);

export const networks: Parse<BlockList> = (value) => {
  const matcher = new BlockList();
  for (const part of splitList(value)) {
    const [address = '', bits, extra] = part.split('/');
    const family = isIP(address);
    const width = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(bits);
    const plain = bits === undefined || /^\d{1,3}$/.test(bits);
    if (family === 0 || extra !== undefined || !plain || prefix > width) {
      throw new Error(`must be addresses or networks in CIDR form, and "${part}" is neither`);
    }
    // A network that contains every address would let any caller spoof the header.
    if (prefix === 0) throw new Error(`must name particular proxies, and "${part}" is the whole internet`);
    matcher.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return matcher;
};

type DatabaseUrl =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

export const databaseUrl: Parse<DatabaseUrl> = (value) => {
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) {
    return { engine: 'postgres', url: withCheckedCertificate(value) };
  }
  const file = /^sqlite:(?!:)(.+)$/.exec(value)?.[1];
  if (file !== undefined) return { engine: 'sqlite', file };
  throw new Error('must be "sqlite:<file>" or "postgres://<user>:<password>@<host>/<database>"');
};

/** `policy`: whether bound tokens are accepted, or required. `page`: whether the reference frontend requests them. */
export const dpop = (value: string) => {
  const words = splitList(value);
  const has = (word: string) => words.includes(word);
  const isKnown = words.every((word) => ['off', 'on', 'page', 'required', 'nonce'].includes(word));
  if (!isKnown || words.length === 0 || (has('off') && words.length > 1))
    throw new Error('must be "off", "on", or a list of "page", "required" and "nonce"');
  const policy: 'off' | 'on' | 'required' = has('required') ? 'required' : has('off') ? 'off' : 'on';
  return { policy, page: has('page') || has('required'), nonce: has('nonce') };
};

/** A minimum length against guessing, and characters that a header can carry. */
export const opsToken = textThat(
  (value) => /^[\x21-\x7e]{32,512}$/.test(value),
  'must have 32 to 512 visible ASCII characters',
);

/** At least 256 bits. A text of hex digits alone counts as hex, which needs more characters than base64. */
export const masterSecret = textThat(
  (value) => (/^[0-9A-Fa-f]*$/.test(value) ? /^.{64,}$/ : /^[A-Za-z0-9+/_-]{43,}={0,2}$/).test(value),
  'must be 256 random bits: at least 43 characters of base64, or 64 of hex',
);

/** The host that the driver takes from a PostgreSQL URL; a path is a socket. */
export function hostOf(url: string): string {
  const { hostname, searchParams } = new URL(url);
  return searchParams.get('host') ?? decodeURIComponent(hostname);
}

const modes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** True if the URL says how the connection is protected, even if it is not. */
export function hasTlsMode(url: string): boolean {
  const { searchParams } = new URL(url);
  return modes.includes(searchParams.get('sslmode') ?? '') || searchParams.get('ssl') !== null;
}

/** `pg` 9 will check less with three of these modes. Here they still check certificate and name, as with `pg` 8. */
function withCheckedCertificate(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
