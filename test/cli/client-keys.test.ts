import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { refused, succeeded } from '../support/commands/outcome.ts';
import { request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { runVestibule } from '../support/services/service.ts';

const rsa = (modulusLength = 2048) => generateKeyPairSync('rsa', { modulusLength });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const spki = (key: KeyObject) => String(key.export({ format: 'pem', type: 'spki' }));
const pkcs8 = (key: KeyObject) => String(key.export({ format: 'pem', type: 'pkcs8' }));
const jwk = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more });
const jwks = (...keys: object[]) => JSON.stringify({ keys });

describe('vestibule client add --public-key', () => {
  const running = deployment();
  const client = (...parameters: string[]) =>
    runVestibule(running().service.settings, 'client', ...parameters);
  /** A file with the public key. */
  const fileOf = (text: string) => {
    const file = `${running().service.settings.TEST_DIRECTORY}/${randomUUID()}.key`;
    writeFileSync(file, text);
    return file;
  };

  const mine = rsa();
  const curve = ec('P-256');
  const edwards = generateKeyPairSync('ed25519');
  interface Accepted {
    readonly text: string;
    readonly signer: KeyObject;
    readonly alg: string;
    readonly kid?: string;
  }
  const accepted: Record<string, Accepted> = {
    'RSA in PEM': { text: spki(mine.publicKey), signer: mine.privateKey, alg: 'RS256' },
    'RSA in PEM, with PSS': { text: spki(mine.publicKey), signer: mine.privateKey, alg: 'PS256' },
    'P-256 in PEM': { text: spki(curve.publicKey), signer: curve.privateKey, alg: 'ES256' },
    'Ed25519 in PEM': { text: spki(edwards.publicKey), signer: edwards.privateKey, alg: 'EdDSA' },
    'a JWK': { text: JSON.stringify(jwk(curve.publicKey)), signer: curve.privateKey, alg: 'ES256' },
    'a JWKS of two': {
      text: jwks(jwk(mine.publicKey, { kid: 'one' }), jwk(curve.publicKey, { kid: 'two' })),
      signer: curve.privateKey,
      alg: 'ES256',
      kid: 'two',
    },
  };
  for (const [name, { text, signer, alg, kid }] of Object.entries(accepted)) {
    it(`adds a client with ${name}, which has no secret and gets a token by a signed assertion`, async () => {
      const id = `key-${name.replaceAll(/[^A-Za-z0-9]/g, '-')}`;
      const added = succeeded(await client('add', id, '--json', '--public-key', fileOf(text)));
      assert.deepEqual(JSON.parse(added), { client_id: id });
      const assertion = await new SignJWT({ jti: randomUUID() })
        .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(String(running().service.settings.BASE_URL))
        .setExpirationTime('1m')
        .sign(signer);
      const reply = await request(`${running().service.url}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion,
        }),
      });
      assert.equal(reply.status, 200, reply.text);
    });
  }

  it('the list shows such clients without any part of their keys', async () => {
    const listed = JSON.parse(succeeded(await client('list', '--json')));
    assert.equal(listed.length, Object.keys(accepted).length);
    for (const { authentication, secrets } of listed)
      assert.deepEqual([authentication, secrets], ['private_key_jwt', []]);
    for (const options of [[], ['--json']]) {
      const shown = succeeded(await client('list', ...options));
      assert.equal(shown.includes(String(jwk(curve.publicKey).x)), false);
    }
  });

  it('add says that the client has no secret, and rotate refuses it', async () => {
    const file = fileOf(spki(mine.publicKey));
    assert.equal(
      succeeded(await client('add', 'keyed', '--public-key', file)),
      'Client "keyed" is added. It authenticates with its key (private_key_jwt) and has no secret.\n',
    );
    refused(await client('rotate', 'keyed'), /Client "keyed" has a public key and no secret/);
  });

  const isPrivate = /This is a private key, which is the client's own/;
  const noneFound = /The public key of the client cannot be used: expected a public key for RS256/;
  const noKey = /Expected a public key in PEM, or a JWK or JWKS in JSON, and found neither/;
  const refusedKeys: Record<string, [string, RegExp]> = {
    'a private key': [pkcs8(mine.privateKey), isPrivate],
    'a private key in PKCS #1': [String(mine.privateKey.export({ format: 'pem', type: 'pkcs1' })), isPrivate],
    'an encrypted private key': [
      String(
        curve.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
      ),
      isPrivate,
    ],
    'a private key after the public key': [spki(mine.publicKey) + pkcs8(mine.privateKey), isPrivate],
    'a private JWK': [JSON.stringify(jwk(curve.privateKey)), noneFound],
    'a private JWK beside a public one': [
      jwks(jwk(mine.publicKey, { kid: 'a' }), jwk(curve.privateKey, { kid: 'b' })),
      /cannot be used: one of the keys must not be used/,
    ],
    'a short RSA key': [spki(rsa(1024).publicKey), noneFound],
    'an unsupported curve': [spki(ec('secp256k1').publicKey), noneFound],
    'a longer curve': [spki(ec('P-384').publicKey), noneFound],
    'a key for key agreement': [spki(generateKeyPairSync('x25519').publicKey), noneFound],
    'a key for encryption': [JSON.stringify(jwk(mine.publicKey, { use: 'enc' })), noneFound],
    'a shared secret': [JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }), noneFound],
    'two keys with one kid': [
      jwks(jwk(mine.publicKey, { kid: 'a' }), jwk(curve.publicKey, { kid: 'a' })),
      noneFound,
    ],
    'an empty JWKS': [jwks(), noneFound],
    'an empty object': ['{}', noneFound],
    'a number': ['5', noneFound],
    null: ['null', noKey],
    'an empty file': ['', noKey],
    garbage: ['ssh-ed25519 AAAA someone', noKey],
    'damaged PEM': ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', noKey],
  };
  describe('refuses', () => {
    for (const [name, [text, says]] of Object.entries(refusedKeys)) {
      it(name, async () => {
        refused(await client('add', 'refused', '--public-key', fileOf(text)), says);
      });
    }
  });

  it('refuses a missing file or a folder, and no refused client was added', async () => {
    const { TEST_DIRECTORY: folder } = running().service.settings;
    const missing = await client('add', 'refused', '--public-key', `${folder}/nothing`);
    refused(missing, /The file ".*nothing" \(--public-key\) cannot be read \(ENOENT\)/);
    refused(await client('add', 'refused', '--public-key', String(folder)), /cannot be read \(EISDIR\)/);
    assert.doesNotMatch(succeeded(await client('list')), /^refused/m);
  });
});
