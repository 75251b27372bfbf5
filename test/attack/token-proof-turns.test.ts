import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { BaseParts } from '../../src/compose/base-parts.ts';
import { createDpop } from '../../src/compose/callers.ts';
import { issueToken } from '../../src/tokens/issue.ts';
import { Throttle } from '../../src/tokens/throttle.ts';
import { inputWith } from '../support/http/input.ts';
import { newDpopKey, proofBy } from '../support/tokens/dpop.ts';
import { WatchedQueue } from './watched-queue.ts';

describe('DPoP proofs at POST /token share the signature queue with tokens', () => {
  const limit = 3;
  const baseUrl = 'https://api.example.org';
  const client = { id: 'reports', secrets: [], scopes: [], state: 'active', createdAt: 0, publicKeys: null };

  it('an address with too many failures may have only a few proofs checked at once', async () => {
    const signatures = new WatchedQueue();
    const config = { dpop: { policy: 'on', page: false, nonce: false } };
    const keyring = { proofs: new Uint8Array(32), proofNonces: new Uint8Array(32) };
    const dpop = createDpop(
      { config, issuer: baseUrl, keyring, clock: systemClock } as unknown as BaseParts,
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
      const proof = proofBy(key, { method: 'POST', url: `${baseUrl}/token` }, changes);
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
