import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { ErrorCode } from '../../src/base/errors.ts';
import { request } from '../support/http/request.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { build, makeCast } from '../support/tokens/built-token.ts';
import { type Case, tokenAndKeySetCases, tokenCases } from '../support/tokens/token-cases.ts';
import type { Cast } from '../support/tokens/token-forms.ts';
import {
  awsVerdict,
  joseVerdict,
  type OracleVerdict,
  ourVerdict,
  type Policy,
} from '../support/tokens/verdicts.ts';

/**
 * Thousands of generated pairs of a token and a key set, judged by Vestibule and by two libraries: aws-jwt-verify, which
 * has nothing in common with it, and jose, of which Vestibule uses the check of signatures but judges all else itself.
 * The same pairs in every run; FUZZ_SEED asks for others and FUZZ_RUNS for more. A failure prints its seed.
 */
const seed = Number(process.env.FUZZ_SEED ?? 20_261);
const runs = Number(process.env.FUZZ_RUNS ?? 4_000);
const runsOverHttp = Math.ceil(runs / 10);

const { audience } = surroundings();
const requiredScopes = ['read'];

/** Every code with which the verifier turns a token away: each must have been seen. */
const codes: readonly ErrorCode[] = [
  ...['token_malformed', 'token_too_large', 'token_type_not_allowed', 'header_not_supported'],
  ...['algorithm_not_allowed', 'issuer_mismatch', 'key_unknown', 'signature_invalid', 'claim_invalid'],
  ...['expiry_missing', 'token_bound', 'token_expired', 'token_not_yet_valid', 'audience_mismatch'],
  ...['subject_invalid', 'insufficient_scope'],
] as const;

type Library = 'jose' | 'aws';
const libraries = { jose: joseVerdict, aws: awsVerdict } as const;
type Jwk = Record<string, unknown>;
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Why a library refuses what Vestibule accepts, for a reason of its own. It counts only when it is the whole reason:
 * without what it names (in the key set) the library accepts too, or the library says just that (of the token).
 */
const reasonsInKeySets: Record<Library, readonly { why: string; without(keys: Jwk[]): Jwk[] }[]> = {
  jose: [
    { why: 'one entry that is no object spoils the whole set', without: (keys) => keys.filter(isObject) },
    {
      why: '"ext", which only says whether a key may be exported, must be a boolean',
      without: (keys) => keys.map(({ ext: _, ...rest }) => rest),
    },
    {
      why: '"key_ops" must name nothing beside "verify", and that once',
      without: (keys) =>
        keys.map((key) =>
          Array.isArray(key.key_ops) && key.key_ops.includes('verify')
            ? { ...key, key_ops: ['verify'] }
            : key,
        ),
    },
    {
      why: 'a key that is too short to be used is still one that a token without "kid" could mean',
      without: (keys) => keys.filter(({ n }) => typeof n !== 'string' || n.length > 300),
    },
  ],
  aws: [
    { why: 'one entry that is null spoils the whole set', without: (keys) => keys.filter(isObject) },
    {
      why: '"crv" must be a text even in an RSA key, which has none',
      without: (keys) => keys.map(({ crv: _, ...rest }) => rest),
    },
  ],
};
const reasonsInTokens: Record<Library, readonly RegExp[]> = {
  jose: [],
  aws: [/^JWT payload jti claim is not a string$/, /^JWT header does not have valid kid claim$/],
};

async function hasReasonOfItsOwn(
  library: Library,
  error: Error,
  token: string,
  keySet: unknown,
  policy: Policy,
) {
  if (reasonsInTokens[library].some((text) => text.test(error.message))) return true;
  const { keys } = keySet as { keys: Jwk[] };
  const plain = reasonsInKeySets[library].reduce((all, { without }) => without(all), keys);
  return 'claims' in (await libraries[library](token, { keys: plain }, policy));
}

const policyOf = (origin: string): Policy => ({
  issuers: [origin, `${origin}/`],
  audience,
  requiredScopes,
});

class Tally {
  readonly #counts = new Map<string, number>();
  add(what: string): void {
    this.#counts.set(what, this.of(what) + 1);
  }
  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }
  report(t: TestContext): void {
    for (const [what, count] of [...this.#counts].sort()) t.diagnostic(`${what}: ${count}`);
  }
}

it('[J213] Vestibule never accepts a token that an independent library refuses; every code occurs', async (t) => {
  const policy = policyOf('https://provider.example');
  const cast = await makeCast('https://provider.example', audience);
  const tally = new Tally();
  const judge = async (generated: Case) => {
    const { token, keySet } = build(generated, cast);
    const ours = await ourVerdict(token, keySet, policy);
    const theirs = {
      jose: await libraries.jose(token, keySet, policy),
      aws: await libraries.aws(token, keySet, policy),
    };
    tally.add(typeof ours === 'string' ? `refused: ${ours}` : 'accepted');
    const taken = Object.values(theirs).filter((verdict) => 'claims' in verdict).length;
    if (typeof ours === 'string') {
      if (taken === 2) tally.add(`refused by Vestibule alone: ${ours}`);
      return;
    }
    if (taken === 2) tally.add('accepted by all');
    for (const [library, verdict] of Object.entries(theirs) as [Library, OracleVerdict][]) {
      if ('error' in verdict) {
        const isExcused = await hasReasonOfItsOwn(library, verdict.error, token, keySet, policy);
        assert.ok(isExcused, `${library} refuses it: ${verdict.error.name}: ${verdict.error.message}`);
        tally.add(`refused by ${library} for a reason of its own`);
        continue;
      }
      const { sub, exp, iat, nbf } = verdict.claims;
      const read: unknown[] = [
        ours.caller.subject,
        ours.expiresAtSeconds,
        ours.notBeforeSeconds,
        ours.issuedAtSeconds,
      ];
      assert.deepEqual(read, [sub ?? null, exp, nbf ?? null, iat ?? null], 'both read the same token');
    }
  };
  await fc.assert(fc.asyncProperty(tokenAndKeySetCases, judge), { seed, numRuns: runs });
  tally.report(t);
  assert.ok(tally.of('accepted by all') >= runs / 10, 'too few of the generated tokens are good ones');
  for (const code of [...codes, 'keys_unavailable'])
    assert.ok(tally.of(`refused: ${code}`) > 0, `no generated token is refused with ${code}`);
});

describe('the comparison with independent libraries over HTTP', () => {
  const running = deployment({
    settings: {
      IDP_REQUIRED_SCOPES: requiredScopes.join(','),
      REFUSALS_PER_MINUTE: '1000000',
    },
  });

  it('[J213] a running service gives every token the verdict of the verifier', async (t) => {
    const { service, provider } = running();
    const policy = policyOf(provider.origin);
    const cast: Cast = await makeCast(provider.origin, audience, provider.key);
    const tally = new Tally();
    const judge = async (generated: Case) => {
      const { token, keySet } = build(generated, cast);
      // Bytes that a header cannot hold never reach the service.
      fc.pre(/^[\x21-\x7e]+$/.test(token));
      const expected = await ourVerdict(token, keySet, policy);
      const headers = { authorization: `Bearer ${token}` };
      const reply = await request(`${service.url}${me}`, { headers });
      const body = reply.json<{ code?: string; subject?: string | null }>();
      tally.add(String(reply.status));
      if (typeof expected !== 'string') {
        assert.equal(reply.status, 200, reply.text);
        assert.equal(body.subject, expected.caller.subject);
        return;
      }
      const isBearerForm = /^[A-Za-z0-9._~+/-]+=*$/.test(token);
      assert.equal(reply.status, 403, reply.text);
      assert.equal(body.code, isBearerForm ? expected : 'authorization_malformed');
    };
    await fc.assert(fc.asyncProperty(tokenCases, judge), { seed, numRuns: runsOverHttp });
    tally.report(t);
    assert.ok(tally.of('200') >= runsOverHttp / 10);
  });
});
