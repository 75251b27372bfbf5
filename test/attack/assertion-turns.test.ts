import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConfirmedTime, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { openAdministration } from '../../src/compose/administration.ts';
import type { BaseParts } from '../../src/compose/base-parts.ts';
import { createTokenEndpoint } from '../../src/compose/service.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { ClientDirectory } from '../../src/tokens/client-directory.ts';
import { inputWith } from '../support/http/input.ts';
import { newSettings } from '../support/services/service.ts';
import {
  addKeyClient,
  assertionClaims,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { withBrokenSignature } from '../support/tokens/forged-token.ts';
import { WatchedQueue } from './watched-queue.ts';

const limit = 3;
const issuer = 'https://api.example.org';

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
