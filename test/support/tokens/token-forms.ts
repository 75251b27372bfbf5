import { constants, createHmac, type KeyObject, sign } from 'node:crypto';
import type { ProviderKey } from './provider.ts';

/** Whose keys and names the generated tokens play with. */
export interface Cast {
  readonly issuer: string;
  readonly audience: string;
  /** Published, unless a change says otherwise. */
  readonly key: ProviderKey;
  readonly other: ProviderKey;
  readonly unpublished: ProviderKey;
  readonly weak: ProviderKey;
  readonly curve: KeyObject;
}

const padded = (text: string, length: number) =>
  text.replace(/}$/, `,"padding":"${'x'.repeat(Math.max((length * 3) / 4 - text.length, 0))}"}`);

/** The JSON of a header or of claims, written otherwise. */
export const jsonForms = {
  spaces: (text: string) => ` \n\t${text}\r\n`,
  array: (text: string) => `[${text}]`,
  null: () => 'null',
  text: (text: string) => JSON.stringify(text),
  number: () => '1',
  'empty object': () => '{}',
  'byte order mark': (text: string) => `\ufeff${text}`,
  'UTF-16': (text: string) => Buffer.from(text, 'utf16le'),
  'broken UTF-8': (text: string) =>
    Buffer.concat([Buffer.from(text).subarray(0, -1), Buffer.from(',"x":"\xff"}', 'latin1')]),
  'trailing comma': (text: string) => text.replace(/}$/, ',}'),
  'trailing text': (text: string) => `${text}x`,
  deep: (text: string) => text.replace(/}$/, `,"deep":${'['.repeat(500)}${']'.repeat(500)}}`),
  'padding to 6 kB': (text: string, part: 'header' | 'claims') =>
    padded(text, part === 'header' ? 1000 : 6000),
  'padding to 9 kB': (text: string) => padded(text, 9000),
} as const;

/** One of the three parts of a token, spelled otherwise. */
export const segmentForms = {
  padding: (text: string) => `${text}${'='.repeat((4 - (text.length % 4)) % 4 || 1)}`,
  'other alphabet': (text: string) => text.replaceAll('-', '+').replaceAll('_', '/'),
  'leftover bits': (text: string) =>
    `${text.slice(0, -1)}${String.fromCharCode(text.slice(-1).charCodeAt(0) + 1)}`,
  'line break': (text: string) => `${text.slice(0, 9)}\n${text.slice(9)}`,
  space: (text: string) => `${text} `,
  'cut short': (text: string) => text.slice(0, -3),
  empty: () => '',
  repeated: (text: string) => `${text}.${text}`,
  'dot before': (text: string) => `.${text}`,
  'dot after': (text: string) => `${text}.`,
} as const;

interface Signing extends Cast {
  readonly input: string;
  readonly goodInput: string;
}

export const rs256 = (input: string, { privateKey }: ProviderKey) =>
  sign('sha256', Buffer.from(input), privateKey);

/** A signature that a verifier must not take, unless the changes leave the token as it was. */
export const signatures = {
  'bit flipped': ({ input, key }: Signing) =>
    rs256(input, key).map((byte, index) => (index === 100 ? byte ^ 1 : byte)),
  zeros: () => Buffer.alloc(256),
  'zero byte before': ({ input, key }: Signing) => Buffer.concat([Buffer.alloc(1), rs256(input, key)]),
  'zero byte after': ({ input, key }: Signing) => Buffer.concat([rs256(input, key), Buffer.alloc(1)]),
  'of an unpublished key': ({ input, unpublished }: Signing) => rs256(input, unpublished),
  'of another published key': ({ input, other }: Signing) => rs256(input, other),
  RS512: ({ input, key }: Signing) => sign('sha512', Buffer.from(input), key.privateKey),
  PSS({ input, key: { privateKey: key } }: Signing) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return sign('sha256', Buffer.from(input), { key, padding, saltLength: 32 });
  },
  'HMAC with the public key': ({ input, key }: Signing) =>
    createHmac('sha256', key.publicKey.export({ format: 'pem', type: 'spki' }))
      .update(input)
      .digest(),
  'before the change': ({ goodInput, key }: Signing) => rs256(goodInput, key),
} as const;

type Keys = readonly unknown[];
type Jwk = Readonly<Record<string, unknown>>;

/** The key set, whose first key is `jwk`, with one difference. */
export const keySets = {
  'another key beside it': (keys: Keys, { other }: Cast) => ({ keys: [...keys, other.jwk] }),
  'another key before it': (keys: Keys, { other }: Cast) => ({ keys: [other.jwk, ...keys] }),
  'a key of another kind beside it': (keys: Keys, { curve }: Cast) => ({
    keys: [...keys, curve.export({ format: 'jwk' })],
  }),
  'a secret beside it': (keys: Keys) => ({ keys: [...keys, { kty: 'oct', k: 'c2VjcmV0', kid: '(secret)' }] }),
  'a private key beside it': (keys: Keys, { other }: Cast) => ({
    keys: [...keys, other.privateKey.export({ format: 'jwk' })],
  }),
  'a weak key beside it': (keys: Keys, { weak }: Cast) => ({ keys: [...keys, weak.jwk] }),
  'the same key twice': (keys: Keys) => ({ keys: [...keys, ...keys] }),
  'its name on another key': (keys: Keys, { other }: Cast, { kid }: Jwk) => ({
    keys: [...keys, { ...other.jwk, kid }],
  }),
  'without its name': ([, ...rest]: Keys, _cast: Cast, jwk: Jwk) => ({
    keys: [{ ...jwk, kid: undefined }, ...rest],
  }),
  'without it': (_keys: Keys, { other }: Cast) => ({ keys: [other.jwk] }),
  'null among the keys': (keys: Keys) => ({ keys: [null, ...keys] }),
  'a text among the keys': (keys: Keys) => ({ keys: [...keys, 'x'] }),
  empty: () => ({ keys: [] }),
  'no list': (keys: Keys) => ({ keys: { 0: keys[0], length: 1 } }),
  'more members': (keys: Keys) => ({ keys, issuer: 'x', extra: [] }),
} as const;

export const namesOf = <T extends object>(forms: T) => Object.keys(forms) as (keyof T)[];
