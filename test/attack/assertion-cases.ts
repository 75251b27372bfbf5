import { createHmac, randomUUID } from 'node:crypto';
import { surroundings } from '../support/run/surroundings.ts';
import type { ClientKey, ClientKeys } from '../support/tokens/client-keys.ts';
import { base64url, split, withClaims } from '../support/tokens/forged-token.ts';

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

/** The keys of the client under test, and those of others. */
export interface Parties {
  readonly keys: ClientKeys;
  /** The key for RS256 in PEM. */
  readonly pem: string;
  readonly strangers: ClientKeys;
}

/** The clients of the service under test. `shutOut` has the keys of `self`; `other` has those of strangers. */
export const names = {
  self: 'key-client',
  other: 'other-key-client',
  shutOut: 'shut-out-client',
  withSecret: 'secret-client',
  nobody: 'nobody',
} as const;

/** The public URL of the service. */
export const issuer = 'http://127.0.0.1/vestibule';

type Cases = Readonly<Record<string, (parties: Parties) => Attempt>>;

const now = () => Math.floor(Date.now() / 1000);
const from = (name: string): Attempt => ({ claims: { iss: name, sub: name } });

/** The same claims under another header, signed by `sign` or not at all. */
function resigned(header: Json, sign: (input: string, signature: string) => string): Attempt {
  const sent = (signed: string) => {
    const [, claims, signature] = split(signed);
    const input = `${base64url(header)}.${claims}`;
    return `${input}.${sign(input, signature)}`;
  };
  return { sent };
}

/** The confusion of a public key with a shared secret. */
function resignedWithHmac({ kid }: ClientKey, secret: string): Attempt {
  const sign = (input: string) => createHmac('sha256', secret).update(input).digest('base64url');
  return resigned({ alg: 'HS256', kid }, sign);
}

export const acceptedAttempts: Cases = {
  'the token endpoint as audience': () => ({ claims: { aud: `${issuer}/token` } }),
  'the issuer as audience': () => ({ claims: { aud: issuer } }),
  'an audience in an array': () => ({ claims: { aud: [`${issuer}/token`] } }),
  'the right audience beside another': () => ({ claims: { aud: ['https://other.example', issuer] } }),
  'the right client_id in the form': () => ({ fields: { client_id: names.self } }),
  'the typ JWT': () => ({ header: { typ: 'JWT' } }),
  'the typ of a client assertion': () => ({ header: { typ: 'client-authentication+jwt' } }),
  'the full media type of a client assertion as typ': () => ({
    header: { typ: 'application/Client-Authentication+JWT' },
  }),
  'an exp in nearly ten minutes': () => ({ claims: { exp: now() + 590 } }),
  'an exp and nbf with fractions of a second': () => ({
    claims: { exp: now() + 60.1234567, nbf: now() - 0.1234567 },
  }),
  'an nbf of now': () => ({ claims: { nbf: now() } }),
  'an iat three seconds in the future': () => ({ claims: { iat: now() + 3 } }),
  'a jti of the maximum length': () => ({ claims: { jti: `${now()}`.padStart(256, 'x') } }),
  'no iat': () => ({ claims: { iat: undefined } }),
};

export const refusedAttempts: Cases = {
  'an unregistered key': ({ keys, strangers }) => {
    return { key: strangers.RS256, header: { kid: keys.RS256.kid } };
  },
  'an unregistered key, with jwk and jku in the header': ({ keys, strangers }) => {
    const { jwk } = strangers.ES256;
    return { key: strangers.ES256, header: { kid: keys.ES256.kid, jwk, jku: 'http://127.0.0.1:9/jwks' } };
  },
  'an unknown kid': () => ({ header: { kid: 'unknown' } }),
  'the kid of another key of the client': ({ keys }) => ({ header: { kid: keys.PS256.kid } }),
  'a changed signature': () => ({ sent: (signed) => `${signed.slice(0, -8)}AAAAAAAA` }),
  'claims changed under the signature': () => ({
    sent: (signed) => withClaims(signed, { jti: randomUUID() }),
  }),
  'alg none without a signature': () => resigned({ alg: 'none' }, () => ''),
  'alg none with a signature': ({ keys }) =>
    resigned({ alg: 'none', kid: keys.RS256.kid }, (_, signature) => signature),
  'alg HS256 with the public key (PEM) as its secret': ({ keys, pem }) => resignedWithHmac(keys.RS256, pem),
  'alg HS256 with the public key (JWK) as its secret': ({ keys }) =>
    resignedWithHmac(keys.RS256, JSON.stringify(keys.RS256.jwk)),
  'a crit extension': () => ({ header: { crit: ['b64'], b64: true } }),
  'the audience of the API': () => ({ claims: { aud: surroundings().audience } }),
  'the audience of others': () => ({ claims: { aud: ['https://other.example', `${issuer}/x`] } }),
  'an audience with a trailing slash': () => ({ claims: { aud: `${issuer}/` } }),
  'no audience': () => ({ claims: { aud: undefined } }),
  'an empty audience': () => ({ claims: { aud: [] } }),
  'the right audience beside a number': () => ({ claims: { aud: [issuer, 7] } }),
  'the right audience beside null': () => ({ claims: { aud: [null, issuer] } }),
  'the right audience in a nested list': () => ({ claims: { aud: [issuer, [issuer]] } }),
  'the right audience in an object': () => ({ claims: { aud: { 0: issuer, length: 1 } } }),
  'another issuer than subject': () => ({ claims: { iss: names.other } }),
  'no issuer': () => ({ claims: { iss: undefined } }),
  'another subject than issuer': () => ({ claims: { sub: names.other } }),
  'no subject': () => ({ claims: { sub: undefined } }),
  'neither issuer nor subject': () => ({ claims: { iss: undefined, sub: undefined } }),
  'another client as issuer and subject': () => from(names.other),
  'an unknown client as issuer and subject': () => from(names.nobody),
  'a client with a secret and no key': () => from(names.withSecret),
  'a disabled client': () => from(names.shutOut),
  'no exp': () => ({ claims: { exp: undefined } }),
  'an exp in the past': () => ({ claims: { exp: now() - 60 } }),
  'an exp more than ten minutes away': () => ({ claims: { exp: now() + 660 } }),
  'an exp that is a string': () => ({ claims: { exp: String(now() + 60) } }),
  'an exp that is null': () => ({ claims: { exp: null } }),
  'an nbf in the future': () => ({ claims: { nbf: now() + 60 } }),
  'an nbf that is a string': () => ({ claims: { nbf: String(now()) } }),
  'an iat in the future': () => ({ claims: { iat: now() + 60 } }),
  'an iat of 1e308': () => ({ claims: { iat: 1e308 } }),
  'an iat that is a string': () => ({ claims: { iat: String(now()) } }),
  'an iat that is null': () => ({ claims: { iat: null } }),
  'the typ of an access token': () => ({ header: { typ: 'at+jwt' } }),
  'the typ of a DPoP proof': () => ({ header: { typ: 'dpop+jwt' } }),
  'an empty typ': () => ({ header: { typ: '' } }),
  'a typ that is not a string': () => ({ header: { typ: ['JWT'] } }),
  'no jti': () => ({ claims: { jti: undefined } }),
  'a jti that is a number': () => ({ claims: { jti: 7 } }),
  'a jti that is a list': () => ({ claims: { jti: ['x'] } }),
  'an empty jti': () => ({ claims: { jti: '' } }),
  'a jti that is too long': () => ({ claims: { jti: `${now()}`.padStart(257, 'x') } }),
  'the client_id of another client in the form': () => ({ fields: { client_id: names.other } }),
  'an unknown client_id in the form': () => ({ fields: { client_id: names.nobody } }),
  'no JWT at all': () => ({ sent: () => 'x' }),
  'three parts that are not JSON': () => ({ sent: () => 'a.b.c' }),
  'more than 8 KiB': () => ({ claims: { padding: 'x'.repeat(8_192) } }),
};
