import assert from 'node:assert/strict';
import crypto, { generateKeyPairSync } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { openAdministration } from '../../src/compose/administration.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { ClientDirectory } from '../../src/tokens/client-directory.ts';
import { issueToken } from '../../src/tokens/issue.ts';
import { createRecogniseClient } from '../../src/tokens/recognise-client.ts';
import { createSecret } from '../../src/tokens/secrets.ts';
import { Throttle } from '../../src/tokens/throttle.ts';
import { anyLine, newClient, newSecret } from '../support/databases/records.ts';
import { inputWith } from '../support/http/input.ts';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { newSettings, type Service, someEngine, startService } from '../support/services/service.ts';
import { type CredentialForm, credentialForms, postOf } from '../support/tokens/oauth-form.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

const unlimited = 1_000_000;
type Administration = Awaited<ReturnType<typeof openAdministration>>;

interface CryptoCall {
  readonly name: string;
  readonly parameters: readonly unknown[];
}

const platform = crypto as unknown as Record<string, (...parameters: unknown[]) => unknown>;

/** The functions of the platform; its classes begin with a capital. */
const functions = Object.entries(Object.getOwnPropertyDescriptors(crypto))
  .filter(([name, { value, writable }]) => /^[a-z]/.test(name) && typeof value === 'function' && writable)
  .map(([name]) => name);

/** Every call of the platform's cryptography while a task runs. The functions do their work as ever. */
async function cryptoCallsOf(task: () => Promise<unknown>): Promise<readonly CryptoCall[]> {
  const calls: CryptoCall[] = [];
  const originals = functions.map((name) => [name, platform[name]] as const);
  for (const [name, original] of originals)
    platform[name] = (...parameters) => {
      calls.push({ name, parameters });
      return original?.(...parameters);
    };

  syncBuiltinESMExports();
  try {
    await task();
  } finally {
    Object.assign(platform, Object.fromEntries(originals));
    syncBuiltinESMExports();
  }
  return calls;
}

interface RefusedClients {
  /** Valid credentials; the refused ones differ from them by one fault each. */
  readonly good: Readonly<Record<string, Credentials>>;
  /** Credentials that are refused, each for its own reason that no caller may learn. */
  readonly refused: Readonly<Record<string, Credentials>>;
}

/** Adds the clients for every reason to refuse one. */
async function addRefusedClients({ clients, storage }: Administration): Promise<RefusedClients> {
  const add = async (id: string, publicKey: string | null = null): Promise<Credentials> => ({
    id,
    secret: (await clients.add({ id, label: '', scopes: [], publicKey })) ?? createSecret(),
  });
  const one = await add('one-secret');
  const two = await add('two-secrets');
  const { secret: second } = await clients.rotate(two.id, '', null);
  const expired = await add('expired-secret');
  const { secret: successor } = await clients.rotate(expired.id, '', 0);
  const disabled = await add('disabled-client');
  await clients.setState(disabled.id, 'disabled');
  const removed = await add('removed-client');
  await clients.remove(removed.id);
  const { publicKey } = generateKeyPairSync('ed25519');
  const withKey = await add('client-with-key', publicKey.export({ format: 'pem', type: 'spki' }));
  const damaged = { id: 'damaged-digest', secret: createSecret() };
  const cutShort = newSecret({ digest: new Uint8Array(5) });
  await storage.clients.add(newClient({ id: damaged.id }), cutShort, anyLine);
  return {
    good: {
      'the only secret': one,
      'the first of two': two,
      'the second of two': { id: two.id, secret: second },
      'the successor of one that expired': { id: expired.id, secret: successor },
    },
    refused: {
      'an unknown client': { id: 'unknown-client', secret: one.secret },
      'an id that no client can have': { id: '?', secret: one.secret },
      'an id longer than any': { id: 'x'.repeat(5_000), secret: one.secret },
      'a wrong secret': { id: one.id, secret: createSecret() },
      'a secret that begins like the right one': { id: one.id, secret: `${one.secret.slice(0, -4)}----` },
      'a short secret': { id: one.id, secret: 'x' },
      'a long secret': { id: one.id, secret: 'x'.repeat(5_000) },
      'the secret of another client': { id: one.id, secret: two.secret },
      'a wrong secret of a client with two': { id: two.id, secret: createSecret() },
      'an expired secret': expired,
      'a disabled client': disabled,
      'a removed client': removed,
      'a client with a key and no secret': withKey,
      'a client whose stored digest is damaged': damaged,
    },
  };
}

/** Status line, headers in their order and body, without what differs between any two answers. */
async function bytesOfAnswer(url: string, form: CredentialForm, credentials: Credentials): Promise<string> {
  const { headers, body } = postOf(form, credentials);
  const lines = Object.entries(headers).map((line) => line.join(': '));
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const answer = await exchange(url, `${head('POST', '/token', ...lines, length)}${body}`);
  return answer.replace(/^date: .*\r\n/im, '').replace(/^x-request-id: .*\r\n/im, '');
}

/** POST /token in this process on a real database, and the queries of each attempt. */
function countedEndpoint({ storage, keyring, clientMac }: Administration, failuresPerMinute = unlimited) {
  const asked: string[] = [];
  const log = createLog('silent');
  const store = {
    list: () => assert.fail('nobody reads all clients for one'),
    find(id: string) {
      asked.push('find');
      return storage.clients.find(id);
    },
  };
  const throttle = new Throttle(failuresPerMinute, systemClock);
  const handle = issueToken({
    proveKey: null,
    recognise: createRecogniseClient({
      directory: new ClientDirectory({ store, clientMac, log }),
      store: {
        async noteUse() {
          asked.push('noteUse');
        },
      },
      secretKey: keyring.clientSecrets,
      checkAssertion: () => assert.fail('nobody has sent an assertion'),
      throttle,
      clock: systemClock,
      log,
    }),
    throttle,
    mint: async () => 'a token',
    ttlSeconds: 600,
  });
  /** The outcome of an attempt: a status or a code, the calls of the cryptography, and the queries. */
  return async (form: CredentialForm, credentials: Credentials) => {
    const { headers, body } = postOf(form, credentials);
    const { authorization, 'content-type': contentType } = headers;
    let end: number | string = 0;
    asked.length = 0;
    const calls = await cryptoCallsOf(async () => {
      try {
        const input = inputWith({ contentType, authorization, body: Buffer.from(body) });
        end = (await handle(input)).status;
      } catch (error) {
        end = error instanceof Refusal ? error.code : String(error);
      }
    });
    return { end, calls, asked: [...asked] };
  };
}

for (const engine of someEngine)
  describe(engine, () => {
    let provider: TestProvider;
    let service: Service;
    let administration: Administration;
    let clients: Awaited<ReturnType<typeof addRefusedClients>>;
    before(async () => {
      provider = await TestProvider.start();
      const limits = { REFUSALS_PER_MINUTE: String(unlimited) };
      const settings = await newSettings(engine, { ...provider.settings, ...limits });
      administration = await openAdministration(loadStorageConfig(settings), 'test');
      clients = await addRefusedClients(administration);
      service = await startService(settings);
    });
    after(async () => {
      await provider.stop();
      await administration.storage.close();
      await service.stop();
    });

    it('[C98] all refused clients get identical bytes, however they send their credentials', async () => {
      for (const form of credentialForms) {
        for (const [what, credentials] of Object.entries(clients.good)) {
          const answer = await bytesOfAnswer(service.url, form, credentials);
          assert.equal(parseReply(answer).status, 200, `control: ${what} ${answer}`);
        }
        const wrong = { id: 'one-secret', secret: createSecret() };
        const expected = await bytesOfAnswer(service.url, form, wrong);
        for (const [what, credentials] of Object.entries(clients.refused))
          assert.equal(await bytesOfAnswer(service.url, form, credentials), expected, `${what} with ${form}`);
        const { status, text, json } = parseReply(expected);
        assert.equal(status, 401);
        if (form === 'JSON') assert.equal(text, '{}');
        else assert.deepEqual(Object.keys(json()), ['error', 'error_description']);
      }
    });

    for (const form of credentialForms) {
      it(`[C99] every refusal costs the same hashes, comparisons and lookups, with ${form}`, async () => {
        const attempt = countedEndpoint(administration);
        // A connection that has to be made first does cryptography of its own.
        await administration.storage.ping();
        const look = ['timingSafeEqual', 'timingSafeEqual'];
        const lookUp = ['createHmac', 'timingSafeEqual'];
        for (const credentials of Object.values(clients.good)) await attempt(form, credentials);
        const wrong = form === 'JSON' ? 'credentials_wrong' : 'oauth_client_wrong';
        const all = [
          ...Object.entries(clients.good).map((entry) => [...entry, 200] as const),
          ...Object.entries(clients.refused).map((entry) => [...entry, wrong] as const),
        ];
        for (const [what, credentials, expectedEnd] of all) {
          const { end, calls, asked } = await attempt(form, credentials);
          assert.equal(end, expectedEnd, what);
          const made = calls.map(({ name }) => name);
          // A known caller is found at the first lookup, and no other is looked up.
          const expected = end === 200 ? look : [...look, ...lookUp, ...look];
          assert.deepEqual(made, ['createHmac', ...expected], what);
          if (end === 200) assert.ok(!asked.includes('find'), what);
          else assert.deepEqual(asked, ['find'], what);
          for (const { name, parameters } of calls) {
            if (name !== 'timingSafeEqual') continue;
            const lengths = parameters.map((bytes) => (bytes as Uint8Array).byteLength);
            assert.deepEqual(lengths, [32, 32], what);
          }
        }
      });

      it(`[C99] past the limit every refusal costs one hash, two comparisons and no query, with ${form}`, async () => {
        const attempt = countedEndpoint(administration, 1);
        await administration.storage.ping();
        const tooMany = form === 'JSON' ? 'credentials_too_many_failures' : 'oauth_too_many_failures';
        await attempt(form, Object.values(clients.refused)[0] as Credentials);
        for (const [what, credentials] of Object.entries(clients.refused)) {
          const { end, calls, asked } = await attempt(form, credentials);
          assert.equal(end, tooMany, what);
          const made = calls.map(({ name }) => name);
          assert.deepEqual(made, ['createHmac', 'timingSafeEqual', 'timingSafeEqual'], what);
          assert.deepEqual(asked, [], what);
        }
      });
    }
  });
