import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import type { RequestOrigin } from '../../src/base/caller.ts';
import { ConfirmedTime, systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { openAdministration } from '../../src/compose/administration.ts';
import type { BaseParts } from '../../src/compose/base-parts.ts';
import { createDpop } from '../../src/compose/callers.ts';
import { createTokenEndpoint } from '../../src/compose/service.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { ClientDirectory } from '../../src/tokens/client-directory.ts';
import { issueToken } from '../../src/tokens/issue.ts';
import { Throttle } from '../../src/tokens/throttle.ts';
import { inputWith } from '../support/http/input.ts';
import { newSettings } from '../support/services/service.ts';
import {
  addKeyClient,
  assertionClaims,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { newDpopKey, proofBy } from '../support/tokens/dpop.ts';
import { withBrokenSignature } from '../support/tokens/forged-token.ts';

const limit = 3;
const issuer = 'https://api.example.org';

/** The queue of the service. It notes whether each caller was a suspect when its turn came. */
class WatchedQueue extends SignatureQueue {
  readonly suspects: boolean[] = [];

  override run(check: () => boolean, origin: RequestOrigin): Promise<boolean> {
    return super.run(() => {
      this.suspects.push(origin.isSuspect());
      return check();
    }, origin);
  }
}

describe('client assertions share the signature queue with tokens', () => {
  let administration: Awaited<ReturnType<typeof openAdministration>>;
  let key: Awaited<ReturnType<typeof makeClientKey>>;
  before(async () => {
    const settings = await newSettings('sqlite', {});
    key = await makeClientKey('RS256');
    await addKeyClient(settings, 'signing', [key]);
    administration = await openAdministration(loadStorageConfig(settings), 'test');
  });
  after(() => administration.storage.close());

  it('an address with too many failures may have only a few assertions checked at once', async () => {
    const { storage, keyring, clientMac } = administration;
    const log = createLog('silent');
    const signatures = new WatchedQueue();
    const clientDirectory = new ClientDirectory({ store: storage.clients, clientMac, log });
    await clientDirectory.load();
    const config = { refusalsPerMinute: limit * 40, tokenTtlSeconds: 600 };
    const time = new ConfirmedTime(systemClock, log);
    const { recognise, throttle } = createTokenEndpoint(
      { config, issuer, storage, keyring, clock: systemClock, time, log } as unknown as BaseParts,
      { clientDirectory, signatures, dpop: null },
      // No token is signed: the test only recognises the client.
      null as never,
    );
    const newAssertion = () => signAssertion(key, assertionClaims('signing', issuer));
    const ask = async (address: string, assertion: string) => {
      const known = await recognise({ kind: 'assertion', clientId: null, assertion }, inputWith({ address }));
      if (known.client === null) throttle.fail(known.claimedId, address);
      return known.client !== null;
    };
    assert.equal(await ask('192.0.2.1', await newAssertion()), true);
    assert.deepEqual(signatures.suspects, [false]);
    for (let count = 0; count < limit; count += 1)
      assert.equal(await ask('192.0.2.2', withBrokenSignature(await newAssertion())), false);
    const ofFailures = signatures.suspects.length;
    assert.deepEqual([...new Set(signatures.suspects)], [false]);
    assert.equal(await ask('192.0.2.2', await newAssertion()), true, 'a good one is served as ever');
    assert.deepEqual(signatures.suspects.slice(ofFailures), [true]);
  });
});

describe('DPoP proofs at POST /token share the signature queue with tokens', () => {
  const client = { id: 'reports', secrets: [], scopes: [], state: 'active', createdAt: 0, publicKeys: null };

  it('an address with too many failures may have only a few proofs checked at once', async () => {
    const signatures = new WatchedQueue();
    const config = { dpop: { policy: 'on', page: false, nonce: false } };
    const keyring = { proofs: new Uint8Array(32), proofNonces: new Uint8Array(32) };
    const dpop = createDpop(
      { config, issuer, keyring, clock: systemClock } as unknown as BaseParts,
      signatures,
    );
    const isMine = { client, credentialId: 'secret' } as never;
    const handle = issueToken({
      proveKey: dpop?.proveKey ?? null,
      recognise: async ({ clientId }) =>
        clientId === client.id ? isMine : { client: null, claimedId: String(clientId) },
      throttle: new Throttle(limit, systemClock),
      mint: async () => 'a token',
      ttlSeconds: 600,
    });
    const key = newDpopKey();
    const ask = async (clientId: string, address: string, changes = {}) => {
      const proof = proofBy(key, { method: 'POST', url: `${issuer}/token` }, changes);
      const body = Buffer.from(JSON.stringify({ client_id: clientId, client_secret: 'x' }));
      const contentType = 'application/json';
      const input = inputWith({ contentType, body, address, header: (name) => ({ dpop: proof })[name] });
      try {
        return (await handle(input)).status;
      } catch (error) {
        return error instanceof Refusal ? error.code : String(error);
      }
    };
    for (let count = 0; count < limit; count += 1)
      assert.equal(await ask('nobody', '192.0.2.1'), 'credentials_wrong');
    assert.deepEqual(signatures.suspects, [], 'nothing is checked for strangers');
    assert.equal(await ask(client.id, '192.0.2.1'), 200);
    assert.equal(await ask(client.id, '192.0.2.2'), 200);
    assert.deepEqual(signatures.suspects, [true, false]);
    for (let count = 0; count < limit; count += 1)
      assert.equal(await ask(client.id, '192.0.2.3', { signedBy: newDpopKey() }), 'credentials_missing');
    assert.equal(await ask(client.id, '192.0.2.3'), 200);
    assert.deepEqual(signatures.suspects.slice(2), [false, false, false, true]);
  });
});
