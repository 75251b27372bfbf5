import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createVerifier } from '../../packages/verify/src/index.ts';
import { tokenCachePlaces } from '../../src/auth/authenticate.ts';
import { withToken } from '../support/http/request.ts';
import { concurrently, tally } from '../support/load/flood.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { me, newSettings, startService } from '../support/services/service.ts';
import { type Claims, TestProvider } from '../support/tokens/provider.ts';
// Needs a process of its own: what other files have left in the heap would be counted.
import { heldBytes } from './heap.ts';

const mebibyte = 1_048_576;
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
        assert.match(
          await service.metrics(),
          new RegExp(`^vestibule_token_cache_lookups_total\\{result="hit"\\} ${hits}$`, 'm'),
        );
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
        const grown = heldBytes() - before;
        assert.ok(grown < 8 * mebibyte, `${(grown / mebibyte).toFixed(1)} MiB more`);
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
