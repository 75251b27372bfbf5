import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { openAdministration } from '../../src/compose/administration.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { ClientDirectory } from '../../src/tokens/client-directory.ts';
import { issueToken } from '../../src/tokens/issue.ts';
import { createRecogniseClient } from '../../src/tokens/recognise-client.ts';
import { Throttle } from '../../src/tokens/throttle.ts';
import { inputWith } from '../support/http/input.ts';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { newSettings, type Service, someEngine, startService } from '../support/services/service.ts';
import { type CredentialForm, credentialForms, postOf } from '../support/tokens/oauth-form.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';
import { cryptoCallsOf } from './crypto-calls.ts';
import { addRefusedClients } from './refused-clients.ts';

const unlimited = 1_000_000;
type Administration = Awaited<ReturnType<typeof openAdministration>>;

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

for (const engine of someEngine) {
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

    for (const form of credentialForms) {
      it(`[C98] all refused clients get identical bytes, with ${form}`, async () => {
        for (const [what, credentials] of Object.entries(clients.good)) {
          const answer = await bytesOfAnswer(service.url, form, credentials);
          assert.equal(parseReply(answer).status, 200, `control: ${what} ${answer}`);
        }
        const all = new Map<string, string>();
        for (const [what, credentials] of Object.entries(clients.refused))
          all.set(what, await bytesOfAnswer(service.url, form, credentials));
        const expected = String(all.get('a wrong secret'));
        for (const [what, answer] of all) assert.equal(answer, expected, what);
        const { status, text, json } = parseReply(expected);
        assert.equal(status, 401);
        if (form === 'JSON') assert.equal(text, '{}');
        else assert.deepEqual(Object.keys(json()), ['error', 'error_description']);
      });

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
          assert.deepEqual(
            calls.map(({ name }) => name),
            ['createHmac', 'timingSafeEqual', 'timingSafeEqual'],
            what,
          );
          assert.deepEqual(asked, [], what);
        }
      });
    }
  });
}
