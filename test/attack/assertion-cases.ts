import { createHmac } from 'node:crypto';
import { assertionClaims, type ClientKey, type ClientKeys } from '../support/client-keys.ts';
import { encode } from '../support/compact.ts';
import { surroundings } from '../support/surroundings.ts';

type Json = Readonly<Record<string, unknown>>;

/** The differences from a good assertion. */
export interface Attempt {
  readonly claims?: Json;
  readonly header?: Json;
  readonly key?: ClientKey;
  /** The text to send instead of the signed assertion. */
  readonly sent?: (signed: string) => string;
  /** Other fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The keys of the client that is played, and those of others. */
export interface Parties {
  readonly keys: ClientKeys;
  /** The key for RS256 in PEM. */
  readonly pem: string;
  readonly strangers: ClientKeys;
}

/** The clients of the service under test. `shutOut` has the keys of `self`, `other` those of strangers. */
export const names = {
  self: 'key-client',
  other: 'other-key-client',
  shutOut: 'shut-out-client',
  withSecret: 'secret-client',
  nobody: 'nobody',
} as const;

/** The address that the service is known by. */
export const issuer = 'http://127.0.0.1/vestibule';

type Cases = Readonly<Record<string, (parties: Parties) => Attempt>>;

const now = () => Math.floor(Date.now() / 1000);
const from = (name: string): Attempt => ({ claims: { iss: name, sub: name } });

/** The same claims under another header, signed by `sign` or not at all. */
function resigned(header: Json, sign: (input: string, signature: string) => string): Attempt {
  const sent = (signed: string) => {
    const [, claims, signature = ''] = signed.split('.');
    const input = `${encode(header)}.${claims}`;
    return `${input}.${sign(input, signature)}`;
  };
  return { sent };
}

/** The confusion of a public key with a shared secret. */
function resignedWithHmac({ kid }: ClientKey, secret: string): Attempt {
  const sign = (input: string) => createHmac('sha256', secret).update(input).digest('base64url');
  return resigned({ alg: 'HS256', kid }, sign);
}

function withOtherClaims(signed: string): string {
  const [header, , signature] = signed.split('.');
  return [header, encode(assertionClaims(names.self, issuer)), signature].join('.');
}

export const acceptedAttempts: Cases = {
  'the token endpoint as audience': () => ({ claims: { aud: `${issuer}/token` } }),
  'the issuer as audience': () => ({ claims: { aud: issuer } }),
  'an audience in an array': () => ({ claims: { aud: [`${issuer}/token`] } }),
  'our audience beside another': () => ({ claims: { aud: ['https://other.example', issuer] } }),
  'its own client_id in the form': () => ({ fields: { client_id: names.self } }),
  'a type of JWT': () => ({ header: { typ: 'JWT' } }),
  'the type of an assertion': () => ({ header: { typ: 'client-authentication+jwt' } }),
  'the type of an assertion in its long form': () => ({
    header: { typ: 'application/Client-Authentication+JWT' },
  }),
  'nearly ten minutes to live': () => ({ claims: { exp: now() + 590 } }),
  'an end and a beginning in fractions of a second': () => ({
    claims: { exp: now() + 60.1234567, nbf: now() - 0.1234567 },
  }),
  'a beginning that is now': () => ({ claims: { nbf: now() } }),
  'a time of issue a moment ahead of ours': () => ({ claims: { iat: now() + 3 } }),
  'the longest id': () => ({ claims: { jti: `${now()}`.padStart(256, 'x') } }),
  'no time of issue': () => ({ claims: { iat: undefined } }),
};

export const refusedAttempts: Cases = {
  'a key that nobody registered': ({ keys, strangers }) => {
    return { key: strangers.RS256, header: { kid: keys.RS256.kid } };
  },
  'a key that nobody registered, brought along': ({ keys, strangers }) => {
    const { jwk } = strangers.ES256;
    return { key: strangers.ES256, header: { kid: keys.ES256.kid, jwk, jku: 'http://127.0.0.1:9/jwks' } };
  },
  'another name for the key': () => ({ header: { kid: 'unknown' } }),
  'the name of another key of the client': ({ keys }) => ({ header: { kid: keys.PS256.kid } }),
  'a signature that ends otherwise': () => ({ sent: (signed) => `${signed.slice(0, -8)}AAAAAAAA` }),
  'claims changed under the signature': () => ({ sent: withOtherClaims }),
  'alg none without a signature': () => resigned({ alg: 'none' }, () => ''),
  'alg none with a signature': ({ keys }) =>
    resigned({ alg: 'none', kid: keys.RS256.kid }, (_, signature) => signature),
  'alg HS256 with the public key (PEM) as its secret': ({ keys, pem }) => resignedWithHmac(keys.RS256, pem),
  'alg HS256 with the public key (JWK) as its secret': ({ keys }) =>
    resignedWithHmac(keys.RS256, JSON.stringify(keys.RS256.jwk)),
  'a demanded extension': () => ({ header: { crit: ['b64'], b64: true } }),
  'the audience of the API': () => ({ claims: { aud: surroundings().audience } }),
  'the audience of others': () => ({ claims: { aud: ['https://other.example', `${issuer}/x`] } }),
  'an audience that only resembles ours': () => ({ claims: { aud: `${issuer}/` } }),
  'no audience': () => ({ claims: { aud: undefined } }),
  'an empty audience': () => ({ claims: { aud: [] } }),
  'our audience beside a number': () => ({ claims: { aud: [issuer, 7] } }),
  'our audience beside null': () => ({ claims: { aud: [null, issuer] } }),
  'our audience in a list within the list': () => ({ claims: { aud: [issuer, [issuer]] } }),
  'our audience in an object': () => ({ claims: { aud: { 0: issuer, length: 1 } } }),
  'another issuer than subject': () => ({ claims: { iss: names.other } }),
  'no issuer': () => ({ claims: { iss: undefined } }),
  'another subject than issuer': () => ({ claims: { sub: names.other } }),
  'no subject': () => ({ claims: { sub: undefined } }),
  'neither issuer nor subject': () => ({ claims: { iss: undefined, sub: undefined } }),
  'the name of another client': () => from(names.other),
  'the name of no client': () => from(names.nobody),
  'the name of a client that has a secret and no key': () => from(names.withSecret),
  'the name of a client that is disabled': () => from(names.shutOut),
  'no end': () => ({ claims: { exp: undefined } }),
  'an end that is past': () => ({ claims: { exp: now() - 60 } }),
  'an end more than ten minutes away': () => ({ claims: { exp: now() + 660 } }),
  'an end in text': () => ({ claims: { exp: String(now() + 60) } }),
  'an end that is null': () => ({ claims: { exp: null } }),
  'a beginning in the future': () => ({ claims: { nbf: now() + 60 } }),
  'a beginning in text': () => ({ claims: { nbf: String(now()) } }),
  'a time of issue in the future': () => ({ claims: { iat: now() + 60 } }),
  'a time of issue that never comes': () => ({ claims: { iat: 1e308 } }),
  'a time of issue in text': () => ({ claims: { iat: String(now()) } }),
  'a time of issue that is null': () => ({ claims: { iat: null } }),
  'the type of an access token': () => ({ header: { typ: 'at+jwt' } }),
  'the type of a proof': () => ({ header: { typ: 'dpop+jwt' } }),
  'an empty type': () => ({ header: { typ: '' } }),
  'a type that is no text': () => ({ header: { typ: ['JWT'] } }),
  'no id': () => ({ claims: { jti: undefined } }),
  'an id that is a number': () => ({ claims: { jti: 7 } }),
  'an id that is a list': () => ({ claims: { jti: ['x'] } }),
  'an empty id': () => ({ claims: { jti: '' } }),
  'an id that is too long': () => ({ claims: { jti: `${now()}`.padStart(257, 'x') } }),
  'the client_id of another client in the form': () => ({ fields: { client_id: names.other } }),
  'the client_id of nobody in the form': () => ({ fields: { client_id: names.nobody } }),
  'no JWT at all': () => ({ sent: () => 'x' }),
  'three parts that are no JSON': () => ({ sent: () => 'a.b.c' }),
  'more text than any has': () => ({ claims: { padding: 'x'.repeat(8_192) } }),
};
