import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { addClient, me, runVestibule, someEngine } from '../support/services/service.ts';
import { credentialsBody, postToken, tokenOf } from '../support/tokens/token-endpoint.ts';

const weekMs = 7 * 86_400_000;

interface ListedSecret {
  readonly secret_id: string;
  readonly label: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_on: string | null;
}

for (const engine of someEngine) {
  describe(`client secrets on ${engine}`, () => {
    const running = deployment({ engine });

    const client = (...parameters: string[]) => runVestibule(running().settings, 'client', ...parameters);
    const rotate = async (id: string, ...options: string[]) =>
      JSON.parse(succeeded(await client('rotate', id, '--json', ...options))) as Record<string, string>;
    const secretsOf = async (id: string): Promise<ListedSecret[]> => {
      const listed = JSON.parse(succeeded(await client('list', '--json'))) as {
        client_id: string;
        secrets: ListedSecret[];
      }[];
      return listed.find(({ client_id: listedId }) => listedId === id)?.secrets ?? [];
    };
    const statusOf = async (id: string, secret: string | undefined) =>
      (await postToken(running().service.url, credentialsBody({ id, secret: String(secret) }))).status;
    /** Other processes see a change within a second. */
    const isRefused = (id: string, secret: string | undefined) =>
      until(
        () => statusOf(id, secret),
        (status) => status === 401,
        `a secret of ${id} still works`,
      );
    const statusOfToken = async (token: string) =>
      (await withToken(running().service.url + me, token)).status;

    it('rotate prints the next steps', async () => {
      await addClient(running().settings, 'guided');
      const guided = succeeded(await client('rotate', 'guided'));
      const says = /^client_secret {2}vsec_.*\n\nKeep the secret now: .*\n\nBoth secrets work now\. /ms;
      assert.match(guided, says);
      assert.match(guided, /^npx vestibule client remove-secret guided <secret-id>$/m);
      await addClient(running().settings, 'hurried');
      const hurried = succeeded(await client('rotate', 'hurried', '--retire-after', '7d'));
      const expires = (await secretsOf('hurried'))[0]?.expires_at;
      assert.match(hurried, new RegExp(`before ${expires}\\. The previous secret expires then\\.\n$`));
    });

    it('rotate adds a second secret and both work, until one is removed with its tokens', async () => {
      const old = await addClient(running().settings, 'changing');
      const oldToken = await tokenOf(running().service.url, { id: 'changing', secret: old });
      const added = await rotate('changing', '--label', 'from "November" on');
      assert.deepEqual(Object.keys(added), ['client_id', 'secret_id', 'client_secret']);
      assert.equal(added.client_id, 'changing');
      assert.match(String(added.client_secret), /^vsec_[A-Za-z0-9_-]{43}$/);
      for (const secret of [old, added.client_secret]) assert.equal(await statusOf('changing', secret), 200);
      const newToken = await tokenOf(running().service.url, {
        id: 'changing',
        secret: String(added.client_secret),
      });

      const [first, second] = await secretsOf('changing');
      assert.deepEqual([first?.label, first?.expires_at], ['', null]);
      assert.deepEqual([second?.secret_id, second?.label], [added.secret_id, 'from "November" on']);

      const removed = await client('remove-secret', 'changing', String(first?.secret_id));
      assert.equal(succeeded(removed), `Secret "${first?.secret_id}" of client "changing" is removed.\n`);
      await isRefused('changing', old);
      assert.equal(await statusOf('changing', added.client_secret), 200);
      const oldStatus = () => statusOfToken(oldToken);
      await until(oldStatus, (status) => status === 403, 'a token outlives its secret');
      assert.equal(await statusOfToken(newToken), 200);
    });

    it('with --retire-after the previous secret expires by itself', async () => {
      const old = await addClient(running().settings, 'leaving');
      const earliest = Date.now() + weekMs;
      const { client_secret: fresh } = await rotate('leaving', '--retire-after', '7d');
      const [first, second] = await secretsOf('leaving');
      const expiresAt = Date.parse(String(first?.expires_at));
      assert.ok(expiresAt >= earliest && expiresAt <= Date.now() + weekMs, String(first?.expires_at));
      assert.equal(second?.expires_at, null);
      const line = new RegExp(`^leaving +${first?.secret_id} +\\S+ +${first?.expires_at} `, 'm');
      assert.match(succeeded(await client('list')), line);
      for (const secret of [old, fresh]) assert.equal(await statusOf('leaving', secret), 200);
      await running().service.advance(weekMs);
      await isRefused('leaving', old);
      assert.equal(await statusOf('leaving', fresh), 200);
    });

    it('a client has at most two live secrets, and an expired one does not count', async () => {
      await addClient(running().settings, 'crowded');
      await rotate('crowded');
      const says =
        /Client "crowded" has 2 live secrets.*: npx vestibule client remove-secret crowded <secret-id>/;
      refused(await client('rotate', 'crowded'), says);
      const [first] = await secretsOf('crowded');
      succeeded(await client('remove-secret', 'crowded', String(first?.secret_id), '--json'));
      await rotate('crowded', '--retire-after', '0s');
      await rotate('crowded');
      assert.equal((await secretsOf('crowded')).length, 3, 'what has ended is still shown');
      refused(await client('rotate', 'crowded'), /2 live secrets/);
    });

    it('rotate prints the new secret once, and list never does', async () => {
      await addClient(running().settings, 'shown');
      const shown = succeeded(await client('rotate', 'shown'));
      assert.match(shown, /^client_id {6}shown\nclient_secret {2}vsec_\S+\n\nKeep the secret now/);
      const secret = /vsec_\S+/.exec(shown)?.[0];
      assert.equal(await statusOf('shown', secret), 200);
      for (const options of [[], ['--json']]) {
        assert.doesNotMatch(succeeded(await client('list', ...options)), /vsec_/);
      }
    });

    it('the list shows the day of the last use, not the time', async () => {
      const secret = await addClient(running().settings, 'used');
      assert.equal((await secretsOf('used'))[0]?.last_used_on, null);
      assert.equal(await statusOf('used', 'wrong'), 401);
      assert.equal((await secretsOf('used'))[0]?.last_used_on, null, 'a failed try is no use');
      await tokenOf(running().service.url, { id: 'used', secret });
      const secrets = () => secretsOf('used');
      const [used] = await until(secrets, ([one]) => one?.last_used_on !== null, 'a use is not noted');
      assert.match(String(used?.last_used_on), /^\d{4}-\d\d-\d\d$/);
    });

    it('remove-secret removes only the named secret of the named client', async () => {
      const secret = await addClient(running().settings, 'owner');
      await addClient(running().settings, 'stranger');
      const [owned] = await secretsOf('owner');
      for (const [id, secretId] of [
        ['stranger', String(owned?.secret_id)],
        ['nobody', String(owned?.secret_id)],
        ['owner', '000000000000'],
        ['owner', "' or ''='"],
      ] as const) {
        const says = /Client ".*" has no secret ".*"\. "npx vestibule/;
        refused(await client('remove-secret', id, secretId), says);
      }
      assert.equal(await statusOf('owner', secret), 200);
    });

    it('an invalid --retire-after is wrong usage (exit code 2)', async () => {
      for (const time of ['7', 'd', '7w', '1.5h', '-1d', ' 7d', '3651d', '']) {
        const says = /must be a number with the unit s, min, h or d, for example 7d/;
        exits(2, await client('rotate', 'owner', '--retire-after', time), says);
      }
      assert.equal((await secretsOf('owner')).length, 1);
    });
  });
}

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
  const two = jwks(jwk(mine.publicKey, { kid: 'one' }), jwk(curve.publicKey, { kid: 'two' }));
  const accepted: Record<string, [text: string, signer: KeyObject, alg: string, kid?: string]> = {
    'RSA in PEM': [spki(mine.publicKey), mine.privateKey, 'RS256'],
    'RSA in PEM, with PSS': [spki(mine.publicKey), mine.privateKey, 'PS256'],
    'P-256 in PEM': [spki(curve.publicKey), curve.privateKey, 'ES256'],
    'Ed25519 in PEM': [spki(edwards.publicKey), edwards.privateKey, 'EdDSA'],
    'a JWK': [JSON.stringify(jwk(curve.publicKey)), curve.privateKey, 'ES256'],
    'a JWKS of two': [two, curve.privateKey, 'ES256', 'two'],
  };
  for (const [name, [text, signer, alg, kid]] of Object.entries(accepted)) {
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
