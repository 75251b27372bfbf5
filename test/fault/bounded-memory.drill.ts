import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createVerifier } from '../../packages/verify/src/index.ts';
import { tokenCachePlaces } from '../../src/auth/authenticate.ts';
import { ProofKeys } from '../../src/auth/dpop/proof-keys.ts';
import { Refusal } from '../../src/base/errors.ts';
import { RecentMap } from '../../src/base/recent-map.ts';
import { RefusalLimit } from '../../src/http/refusal-limit.ts';
import { Throttle } from '../../src/tokens/throttle.ts';
import { readTokenRequest } from '../../src/tokens/token-request.ts';
import { inputWith } from '../support/http/input.ts';
import { withToken } from '../support/http/request.ts';
import { concurrently, tally } from '../support/load/flood.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { me, newSettings, startService } from '../support/services/service.ts';
import { newDpopKey } from '../support/tokens/dpop.ts';
import { base64url } from '../support/tokens/forged-token.ts';
import { credentialForms, postOf } from '../support/tokens/oauth-form.ts';
import { type Claims, TestProvider } from '../support/tokens/provider.ts';

// Needs a process of its own: what other files have left in the heap would be counted.

/** The memory that this process uses: unreachable objects are collected first. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const mebibyte = 1_048_576;

function assertGrownBy(bytes: number, maxMebibytes: number): void {
  assert.ok(bytes < maxMebibytes * mebibyte, `${(bytes / mebibyte).toFixed(1)} MiB more`);
}

/** The work leaves less than 10 MiB more in the heap. */
function assertBounded(work: () => void): void {
  const before = heldBytes();
  work();
  assertGrownBy(heldBytes() - before, 10);
}

const refusal = new Refusal('token_malformed');

it('[B78] the map of unknown keys evicts its oldest entries first', () => {
  const names = new RecentMap<string, true>(1_000);
  for (let count = 0; count < 1_500; count += 1) names.set(`invented ${count}`, true);
  assert.equal(names.get('invented 1499'), true);
  assert.equal(names.get('invented 500'), true);
  assert.equal(names.get('invented 499'), undefined);
});

it('[C102] a proof key is cached for an ordinary header, not for an enlarged one', () => {
  const keys = new ProofKeys();
  const largest = newDpopKey('RS256', () => generateKeyPairSync('rsa', { modulusLength: 4096 }));
  const remembers = (jwk: object) => {
    const header = base64url({ typ: 'dpop+jwt', alg: largest.algorithm, jwk: { ...largest.jwk, ...jwk } });
    keys.remember(header, keys.read(header, null));
    return keys.recall(header)?.thumbprint === largest.thumbprint;
  };
  assert.equal(remembers({}), true);
  assert.equal(remembers({ kid: 'x'.repeat(500) }), true);
  assert.equal(remembers({ more: 'x'.repeat(2_000) }), false);
});

it('[C102] at least ten thousand addresses are counted; the one refused longest ago is evicted first', () => {
  const limit = new RefusalLimit(1, new MovableClock());
  for (let count = 0; count <= 30_000; count += 1) limit.count(`address ${count}`, refusal);
  assert.equal(limit.isReached('address 30000'), true);
  assert.equal(limit.isReached('address 20001'), true);
  assert.equal(limit.isReached('address 0'), false);
});

it('[C102] a million ids from a million addresses keep the memory of failed clients bounded', () => {
  const throttle = new Throttle(1, new MovableClock());
  assertBounded(() => {
    for (let count = 0; count < 1_000_000; count += 1)
      throttle.fail(`client-${count}`, `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`);
  });
  assert.ok(throttle.fail('client-999999', 'elsewhere') > 0, 'control: the last ones are remembered');
  assert.ok(throttle.fail('somebody', '10.15.66.63') > 0, 'control: and so are their addresses');
  assert.equal(throttle.fail('client-0', '10.0.0.0'), 0, 'the first ones are forgotten');
});

it('[C102] client ids longer than any valid one are not kept, and count as one', () => {
  const throttle = new Throttle(1, new MovableClock());
  for (const id of ['x'.repeat(64), 'y'.repeat(64), 'x'.repeat(65)]) assert.equal(throttle.fail(id, id), 0);
  assertBounded(() => {
    for (let count = 0; count < 2_000; count += 1)
      assert.ok(throttle.fail(randomBytes(32_768).toString('hex'), `address ${count}`) > 0);
  });
});

for (const form of credentialForms) {
  it(`[C102] an entry does not keep the rest of its request in memory, with ${form}`, () => {
    const throttle = new Throttle(1, new MovableClock());
    assertBounded(() => {
      for (let count = 0; count < 2_000; count += 1) {
        const id = `a-client-with-a-name-of-its-own-${count}`;
        const { headers, body } = postOf(form, { id, secret: 'x'.repeat(30_000) });
        const { authorization, 'content-type': contentType } = headers;
        const address = `address ${count}`;
        const { proof } = readTokenRequest(
          inputWith({ contentType, authorization, body: Buffer.from(body), address }),
        );
        assert.equal(proof.clientId, id);
        throttle.fail(proof.clientId ?? '', address);
      }
    });
  });
}

it('[C102] ids that fail every minute take no more memory after hours than after the first minute', () => {
  const clock = new MovableClock();
  const throttle = new Throttle(1, clock);
  const names = Array.from({ length: 9_999 }, (_, count) => `client ${count}`);
  const pass = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const name of names) throttle.fail(name, name);
      clock.advance(60_000);
    }
  };
  pass(5);
  assertBounded(() => pass(120));
});

it('[C100] past the limit an address is suspect and its refusals are 429 until the minute ends', () => {
  const clock = new MovableClock();
  const limit = new RefusalLimit(2, clock);
  const code = (address: string) => limit.count(address, refusal).code;
  assert.equal(limit.isReached('here'), false);
  assert.deepEqual([code('here'), code('here')], ['token_malformed', 'token_malformed']);
  assert.equal(limit.isReached('here'), true);
  assert.equal(code('here'), 'too_many_refusals');
  assert.equal(limit.isReached('there'), false);
  assert.equal(code('there'), 'token_malformed');
  clock.advance(60_000);
  assert.equal(limit.isReached('here'), false);
  assert.equal(code('here'), 'token_malformed');
  clock.advance(3_600_000);
  assert.equal(code('here'), 'token_malformed');
});

let provider: TestProvider;
before(async () => {
  provider = await TestProvider.start();
});
after(() => provider.stop());

/** As many different scopes as fit in a token: 6 KB of text, and 43 KB of memory. */
function manyScopes(seed: number): string {
  return Array.from({ length: 1_250 }, (_, index) =>
    (((seed * 1_250 + index) % 45_000) + 1_296).toString(36).padStart(3, '0'),
  ).join(' ');
}

describe('tokens that take much memory in the cache', () => {
  it('[C102] do not exceed the memory of the cache, and are all accepted', async () => {
    const places = tokenCachePlaces;
    // Cached by number alone, they would exceed the heap.
    const tokens = 4_000;
    const limits = { NODE_OPTIONS: '--max-old-space-size=192' };
    const service = await startService(await newSettings('sqlite', { ...provider.settings, ...limits }));
    try {
      const url = `${service.url}${me}`;
      let seed = 0;
      const statuses = await concurrently(tokens, 8, async () => {
        seed += 1;
        return (await withToken(url, await provider.token({ scope: manyScopes(seed) }))).status;
      });
      assert.deepEqual(tally(statuses), new Map([[200, tokens]]));
      const taken = Number(/^vestibule_token_cache_entries (\d+)$/m.exec(await service.metrics())?.[1]);
      assert.ok(taken > places / 2 && taken < places * 1.1, `${taken} places`);
      const token = await provider.token();
      for (const hits of [0, 1]) {
        assert.equal((await withToken(url, token)).status, 200);
        const says = new RegExp(`^vestibule_token_cache_lookups_total\\{result="hit"\\} ${hits}$`, 'm');
        assert.match(await service.metrics(), says);
      }
    } finally {
      await service.stop();
    }
  });

  const payloads: Readonly<Record<string, (seed: number) => unknown>> = {
    'empty objects': () => Array.from({ length: 1_700 }, () => ({})),
    'members with names of their own': (seed) =>
      Array.from({ length: 400 }, (_, index) => ({ [(seed * 400 + index).toString(36)]: 0 })),
    'lists in lists': () => JSON.parse('['.repeat(2_500) + ']'.repeat(2_500)),
  };
  for (const [what, payload] of Object.entries(payloads)) {
    it(`[C102] take no more memory per entry in @vestibule/verify than ordinary ones, with ${what}`, async () => {
      const { origin: issuer } = provider;
      const { audience } = surroundings();
      const verifier = createVerifier({ issuer, audience, jwksUrl: `${issuer}/jwks`, cacheEntries: 1_000 });
      try {
        await verifier.ready();
        const verify = async (token: string) =>
          (await verifier.verify({ headers: { authorization: `Bearer ${token}` } })).ok;
        assert.equal(await verify(await provider.token()), true);
        const before = heldBytes();
        for (let seed = 0; seed < 600; seed += 1)
          assert.equal(await verify(await provider.token({ seed, payload: payload(seed) })), true);
        assertGrownBy(heldBytes() - before, 8);
        assert.ok(verifier.status().tokens.remembered > 0, 'control: some of them are remembered');
      } finally {
        verifier.close();
      }
    });
  }

  it('[C102] are weighed by claim names as by claim values', async () => {
    const { origin: issuer } = provider;
    const { audience } = surroundings();
    /** How many of 60 tokens are remembered at once, at most. */
    const maxRemembered = async (claims: (text: string) => Claims) => {
      const verifier = createVerifier({ issuer, audience, jwksUrl: `${issuer}/jwks`, cacheEntries: 200 });
      let most = 0;
      try {
        await verifier.ready();
        for (let seed = 0; seed < 60; seed += 1) {
          const token = await provider.token(claims(`${seed}`.padEnd(4_000, 'x')));
          const { ok } = await verifier.verify({ headers: { authorization: `Bearer ${token}` } });
          assert.equal(ok, true);
          most = Math.max(most, verifier.status().tokens.remembered);
        }
        return most;
      } finally {
        verifier.close();
      }
    };
    const byText = await maxRemembered((text) => ({ text }));
    const byName = await maxRemembered((text) => ({ [text]: 0 }));
    assert.ok(byText < 30 && byName <= byText * 1.2, `${byText} by their texts, ${byName} by their names`);
  });
});
