import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { exportSPKI } from 'jose';
import { succeeded } from '../support/commands/outcome.ts';
import { assertNoEcho } from '../support/http/refusals.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { deployment } from '../support/services/deployment.ts';
import { runVestibule } from '../support/services/service.ts';
import {
  addClientWithKey,
  addKeyClient,
  assertionClaims,
  assertionForm,
  type ClientKey,
  type ClientKeys,
  clientAlgorithms,
  makeClientKeys,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { base64url, split, withClaims } from '../support/tokens/forged-token.ts';
import { addClientWith, assertOAuthError, grant, postForm } from '../support/tokens/oauth-form.ts';

type Json = Readonly<Record<string, unknown>>;

/** The differences from a good assertion. */
interface Attempt {
  readonly claims?: Json;
  readonly header?: Json;
  readonly key?: ClientKey;
  /** The text to send instead of the signed assertion. */
  readonly sent?: (signed: string) => string;
  /** Other fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The keys of the client under test, and those of others. */
interface Parties {
  readonly keys: ClientKeys;
  /** The key for RS256 in PEM. */
  readonly pem: string;
  readonly strangers: ClientKeys;
}

/** The clients of the service under test. `shutOut` has the keys of `self`; `other` has those of strangers. */
const names = {
  self: 'key-client',
  other: 'other-key-client',
  shutOut: 'shut-out-client',
  withSecret: 'secret-client',
  nobody: 'nobody',
} as const;

const issuer = 'http://127.0.0.1/vestibule';

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

const acceptedAttempts: Cases = {
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

const refusedAttempts: Cases = {
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

describe('client authentication with a private key (private_key_jwt)', () => {
  let parties: Parties;
  const running = deployment({
    settings: { REFUSALS_PER_MINUTE: '1000000' },
    prepare: async (settings) => {
      const [keys, strangers] = await Promise.all([makeClientKeys(), makeClientKeys()]);
      parties = { keys, strangers, pem: await exportSPKI(keys.RS256.publicKey) };
      await addKeyClient(settings, names.self, Object.values(keys));
      await addClientWith(settings, names.withSecret);
      await addKeyClient(settings, names.other, Object.values(strangers));
      await addKeyClient(settings, names.shutOut, Object.values(keys));
      await addClientWithKey(settings, 'pem-client', parties.pem);
      succeeded(await runVestibule(settings, 'client', 'disable', names.shutOut));
    },
  });
  const post = (form: Readonly<Record<string, string>>) => postForm(running().service.url, form);

  const assertionOf = async (attempt: Attempt) => {
    const { claims, header, key = parties.keys.RS256, sent = (signed) => signed } = attempt;
    return sent(await signAssertion(key, assertionClaims(names.self, issuer, claims), header));
  };
  const take = async (attempt: Attempt) => {
    const reply = await post({ ...assertionForm(await assertionOf(attempt)), ...attempt.fields });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.json()), ['access_token', 'token_type', 'expires_in']);
  };
  const refuse = async (attempt: Attempt, what: string) => {
    const assertion = await assertionOf(attempt);
    const reply = await post({ ...assertionForm(assertion), ...attempt.fields });
    assertOAuthError(reply, 401, 'invalid_client', what);
    assertNoEcho(reply, assertion);
  };

  for (const algorithm of clientAlgorithms)
    it(`an assertion signed with ${algorithm} is accepted; one signed with an unregistered key is refused`, async () => {
      const { keys, strangers } = parties;
      await take({ key: keys[algorithm] });
      await refuse({ key: strangers[algorithm], header: { kid: keys[algorithm].kid } }, algorithm);
    });

  it('a client registered with a PEM key needs no kid in its assertions', async () => {
    const unnamed = { claims: { iss: 'pem-client', sub: 'pem-client' }, header: { kid: undefined } };
    await take(unnamed);
    await refuse({ ...unnamed, key: parties.strangers.RS256 }, 'another key');
  });

  for (const [what, attempt] of Object.entries(acceptedAttempts))
    it(`an assertion is accepted with ${what}`, () => take(attempt(parties)));

  for (const [what, attempt] of Object.entries(refusedAttempts))
    it(`an assertion is refused with ${what}`, () => refuse(attempt(parties), what));

  it('a wrong or missing client_assertion_type, or an empty assertion, is invalid_request', async () => {
    const form = assertionForm(await assertionOf({}));
    const { client_assertion_type: type, client_assertion } = form;
    const saml = type.replace('jwt-bearer', 'saml2-bearer');
    for (const wrong of [saml, type.toUpperCase(), `${type} `, 'x', '']) {
      const reply = await post({ ...form, client_assertion_type: wrong });
      assertOAuthError(reply, 400, 'invalid_request', wrong);
    }
    assertOAuthError(await post({ ...grant, client_assertion }), 400, 'invalid_request', 'no type');
    assertOAuthError(await post(assertionForm('')), 400, 'invalid_request', 'an empty assertion');
    assert.equal((await post(form)).status, 200, 'none of it has used up the assertion');
  });

  it('a JSON request with an assertion is refused with 400', async () => {
    const body = JSON.stringify({ ...assertionForm(await assertionOf({})), client_id: names.self });
    const headers = { 'content-type': 'application/json' };
    const reply = await postForm(running().service.url, body, headers);
    assert.deepEqual([reply.status, reply.text], [400, '{}']);
  });
});
