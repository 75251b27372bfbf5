import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readKeySet } from '../../src/auth/key-set.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type ErrorCode, Refusal } from '../../src/base/errors.ts';
import type { ExaminedIssuer } from '../../src/operate/examine/context.ts';
import { examineToken } from '../../src/operate/examine/token.ts';
import { build, makeCast } from '../support/tokens/built-token.ts';
import { settingNames, usualClaims } from '../support/tokens/claims-policy.ts';
import { tokenAndKeySetCases } from '../support/tokens/token-cases.ts';
import { ourVerdict, type Policy } from '../support/tokens/verdicts.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20_261);
const runs = Number(process.env.FUZZ_RUNS ?? 300);

/** Cases in which the header is refused before the token is read. */
const frontDoor: readonly ErrorCode[] = ['authorization_malformed', 'headers_too_large'];

/** `explain` takes the verifier's steps one by one; thousands of generated tokens show that it is the same verdict. */
describe('explain compared with the verifier', () => {
  it("gives the verifier's code for every generated token", async () => {
    const policy: Policy = {
      issuers: ['https://login.example', 'https://login.example/'],
      audience: 'https://api.example',
      requiredScopes: ['read'],
    };
    const cast = await makeCast('https://login.example', policy.audience);
    const seen = new Set<string>();
    const property = fc.asyncProperty(tokenAndKeySetCases, async (generated) => {
      const { token, keySet } = build(generated, cast);
      const expected = await ourVerdict(token, keySet, policy);
      const { code, accepted, summary, steps } = await explain(token, keySet, policy);
      if (code !== null && frontDoor.includes(code)) return;
      assert.equal(code ?? 'accepted', typeof expected === 'string' ? expected : 'accepted');
      assert.equal(accepted, code === null);
      const shown = JSON.stringify(steps) + summary;
      assert.doesNotMatch(shown, /[^\x20-\x7e]/, 'nothing that a terminal would obey');
      seen.add(code ?? 'accepted');
    });
    await fc.assert(property, { seed, numRuns: runs });
    assert.ok(seen.size > 9, `only ${[...seen].join(', ')}`);
  });
});

function explain(token: string, document: unknown, policy: Policy) {
  const provider: ExaminedIssuer = {
    who: 'the provider',
    settings: settingNames,
    algorithms: new Set(['RS256']),
    requireAtJwt: false,
    claims: { ...usualClaims, ...policy, audiences: [policy.audience] },
    async keysNow() {
      const set = readKeySet(document, ['RS256']);
      if (typeof set === 'string') throw new Refusal('keys_unavailable', { detail: set });
      return { set, source: 'given' };
    },
  };
  return examineToken(token, {
    issuers: [provider],
    clock: systemClock,
    callerNow: async () => ({ found: 'new here', isKnown: true, pseudonym: null, refusal: null }),
  });
}
