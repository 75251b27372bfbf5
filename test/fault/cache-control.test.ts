import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deployment } from '../support/services/deployment.ts';
import { keysMetric, refreshKeys, statusesOfNew } from '../support/services/provider-keys.ts';
import { makeKey } from '../support/tokens/provider.ts';

const hour = 3_600;
/** The headers of the provider about caching, and how long its keys are cached. */
const lifetimes: Record<string, [cacheControl: string | null, seconds: number]> = {
  'says nothing': [null, 600],
  'names a time within the bounds': ['public, max-age=900', 900],
  'quotes the time': ['max-age="900"', 900],
  'says zero': ['max-age=0', 60],
  'names a moment': ['max-age=5', 60],
  'says no-store': ['no-store', 60],
  'says no-cache and a time': ['no-cache, max-age=900', 60],
  'says an invalid time': ['max-age=soon', 600],
  'says a negative time': ['max-age=-900', 600],
  'names a time for proxies only': ['s-maxage=900', 600],
  'says a day': ['max-age=86400', 24 * hour],
  'says ten years': ['max-age=315360000', 24 * hour],
  'says a number beyond all bounds': ['max-age=99999999999999999999', 24 * hour],
};

for (const [name, maxStaleSeconds, longest] of [
  ['a week', 604_800, 24 * hour],
  ['an hour', hour, hour / 2],
  ['a minute', 60, 30],
] as const) {
  describe(`provider keys with a maximum age of ${name}`, () => {
    const pair = deployment({ settings: { JWKS_MAX_STALE_SECONDS: String(maxStaleSeconds) }, hasKeys: true });
    for (const [what, [cacheControl, wanted]] of Object.entries(lifetimes)) {
      const seconds = Math.min(wanted, longest);
      it(`[B85] a provider that ${what} gets the next fetch after ${seconds} s`, async () => {
        const { provider } = pair();
        provider.answer = (_request, response) => {
          if (cacheControl !== null) response.setHeader('cache-control', cacheControl);
          response.end(JSON.stringify(provider.document));
        };
        await pair().advance(1_000 * ((await keysMetric(pair(), 'vestibule_jwks_next_fetch_seconds')) + 1));
        const before = provider.fetches;
        await pair().advance((seconds - 10) * 1_000);
        assert.equal(provider.fetches, before, 'too early');
        assert.deepEqual(await statusesOfNew(pair(), 1), [200], 'the keys are good until then');
        await pair().advance(11_000);
        assert.equal(provider.fetches, before + 1, 'too late');
      });
    }
  });
}

describe('requests to the provider', () => {
  const pair = deployment({ hasKeys: true });

  it('[B86] only the configured key URL is fetched; there is no discovery', async () => {
    const { provider } = pair();
    const canary = `${provider.origin}/.well-known/openid-configuration`;
    const headers = [{ jku: canary }, { x5u: canary }, { kid: 'unknown', jku: canary }, { kid: canary }];
    for (const header of headers) await pair().me(await provider.token({}, header));
    const moved = { location: canary, link: `<${canary}>; rel="jwks_uri"` };
    for (const status of [301, 404, 500, 200]) {
      provider.answer = (_request, response) => {
        response.writeHead(status, moved).end(JSON.stringify({ jwks_uri: canary, issuer: canary }));
      };
      await pair().advance(600_000);
    }
    const next = await makeKey();
    provider.keys.push(next);
    provider.answer = null;
    await pair().advance(600_000);
    assert.equal((await pair().me(await provider.token({}, {}, next))).status, 200);
    assert.ok(provider.asked.length >= 6, 'control: it was asked');
    assert.deepEqual([...new Set(provider.asked)], ['GET /jwks']);
  });

  it('[B86] the request for the keys contains nothing about callers', async () => {
    const { provider } = pair();
    let sent: Record<string, unknown> = {};
    provider.answer = (request, response) => {
      sent = request.headers;
      response.end(JSON.stringify(provider.document));
    };
    await pair().me(await provider.token());
    await refreshKeys(pair());
    assert.equal(sent.accept, 'application/json');
    for (const name of ['authorization', 'cookie', 'referer', 'origin', 'x-forwarded-for', 'from'])
      assert.equal(sent[name], undefined, name);
  });
});
