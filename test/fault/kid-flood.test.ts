import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { deployment } from '../support/services/deployment.ts';
import { statusesOfNew } from '../support/services/provider-keys.ts';
import { me } from '../support/services/service.ts';
import { type Claims, makeKey } from '../support/tokens/provider.ts';
import { openLoop } from './open-loop.ts';

const perSecond = 2_000;
const pair = deployment({
  settings: { REFUSALS_PER_MINUTE: '1000000', LOG_LEVEL: 'info' },
  hasKeys: true,
});
// A slow machine takes more than the half minute for a flood.
before(() => pair().service.holdTime(true));

/** Tokens with these claims that each name a key of their own invention. */
async function invented(count: number, claims: Claims = {}): Promise<string[]> {
  const good = await pair().provider.token(claims);
  const rest = good.slice(good.indexOf('.'));
  const headers = Array.from({ length: count }, () => JSON.stringify({ alg: 'RS256', kid: randomUUID() }));
  return headers.map((header) => `${Buffer.from(header).toString('base64url')}${rest}`);
}

const flood = async (tokens: readonly string[]) => openLoop(pair().service.url + me, perSecond, tokens);
const all403 = (count: number) => new Map([[403, count]]);

describe('two thousand invented kids a second', () => {
  it('tokens that would be refused anyway cause no fetch', async () => {
    const { provider } = pair();
    const before = provider.fetches;
    const hopeless: Claims[] = [
      { aud: 'https://other.example' },
      { exp: 1_000_000_000 },
      { nbf: 9_999_999_999 },
      { exp: undefined },
      { sub: 7 },
    ];
    const tokens = (await Promise.all(hopeless.map((claims) => invented(100, claims)))).flat();
    assert.deepEqual(await flood(tokens), all403(tokens.length));
    await pair().advance(31_000);
    assert.equal(provider.fetches, before);
  });

  it('cause one fetch in thirty seconds; other callers are accepted', async () => {
    const { provider } = pair();
    const before = provider.fetches;
    const tokens = await invented(perSecond);
    const flooding = flood(tokens);
    assert.deepEqual(await statusesOfNew(pair(), 20), [200]);
    assert.deepEqual(await flooding, all403(tokens.length));
    assert.equal(provider.fetches, before + 1);
    for (let window = 2; window <= 4; window += 1) {
      await pair().advance(30_000);
      assert.deepEqual(await flood(await invented(400)), all403(400));
      assert.deepEqual(await statusesOfNew(pair(), 5), [200]);
      assert.ok(
        provider.fetches <= before + window,
        `${provider.fetches - before} requests in ${window} windows`,
      );
    }
  });

  it('a key rotated in during the flood is accepted after thirty seconds', async () => {
    const { provider } = pair();
    // Waits until the search that the last flood has left is done and the half minute is over.
    for (let window = 0; window < 2; window += 1) await pair().advance(31_000);
    const before = provider.fetches;
    const next = await makeKey();
    const flooding = flood(await invented(perSecond));
    await pair().me(String((await invented(1))[0]));
    assert.equal(provider.fetches, before + 1, 'control: the flood has used up what there is to ask');
    provider.keys.push(next);
    const early = await pair().me(await provider.token({}, {}, next));
    assert.equal(early.json().code, 'key_unknown');
    await flooding;
    await pair().advance(30_000);
    const reply = await pair().me(await provider.token({}, {}, next));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(provider.fetches, before + 2);
    assert.deepEqual(await flood(await invented(400)), all403(400));
    assert.equal((await pair().me(await provider.token({}, {}, next))).status, 200);
    assert.equal(provider.fetches, before + 2);
  });
});
