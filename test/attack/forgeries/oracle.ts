import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { ErrorCode } from '../../../src/base/errors.ts';
import type { Attack } from '../../support/http/attacked.ts';
import type { Reply } from '../../support/http/request.ts';
import { compact, forged, hmac } from '../../support/tokens/forged-token.ts';
import { type Claims, makeKey, type ProviderKey } from '../../support/tokens/provider.ts';

export function oracleForgeries(attack: Attack): void {
  const target = attack();
  let stranger: ProviderKey;
  before(async () => {
    stranger = await makeKey();
  });

  /** Claims that would each be judged differently under a good signature, with the code of that judgement. */
  const judgements: readonly (readonly [Claims, ErrorCode | null])[] = [
    [{}, null],
    [{ exp: 1_000_000_000 }, 'token_expired'],
    [{ exp: undefined }, 'expiry_missing'],
    [{ exp: 'soon' }, 'claim_invalid'],
    [{ nbf: 4_000_000_000 }, 'token_not_yet_valid'],
    [{ aud: 'https://other.example' }, 'audience_mismatch'],
    [{ aud: undefined }, 'audience_mismatch'],
    [{ sub: '' }, 'subject_invalid'],
    [{ sub: 'somebody-known' }, null],
    [{ nonce: 'n-0S6_WzA2Mj' }, 'token_type_not_allowed'],
    [{ scope: undefined }, null],
  ];

  it('[A53] with a valid signature each wrong claim gets its own error code', async () => {
    for (const [changes, code] of judgements) {
      const token = await target().provider.token(changes);
      if (code === null) await target().accepts(token);
      else await target().refuses(token, code);
    }
  });

  /** Unsigned tokens: everything is right but the signature. */
  const unvouched: Record<string, [ErrorCode, (claims: Claims, kid: string) => string]> = {
    'a signature of another key': ['signature_invalid', (claims, kid) => forged(stranger, claims, { kid })],
    'no kid': ['signature_invalid', (claims) => forged(stranger, claims, { kid: undefined })],
    'an unknown kid': ['key_unknown', (claims) => forged(stranger, claims)],
    'the alg none': [
      'algorithm_not_allowed',
      (claims, kid) => forged(stranger, claims, { kid, alg: 'none' }),
    ],
    'an HMAC signature': [
      'algorithm_not_allowed',
      (claims, kid) => compact({ alg: 'HS256', kid }, claims, hmac('sha256', 'x')),
    ],
    crit: ['header_not_supported', (claims, kid) => forged(stranger, claims, { kid, crit: ['x'], x: 1 })],
    'another typ': [
      'token_type_not_allowed',
      (claims, kid) => forged(stranger, claims, { kid, typ: 'JOSE' }),
    ],
    'a broken shape': ['token_malformed', (claims, kid) => `${forged(stranger, claims, { kid })}.x`],
  };
  for (const [name, [code, forge]] of Object.entries(unvouched))
    it(`[A53] a token with ${name} gets the same answer whatever its claims`, async () => {
      const answers = new Set<string>();
      for (const [changes] of judgements) {
        const token = forge(target().provider.claims(changes), target().provider.key.kid);
        answers.add(essence(await target().refuses(token, code)));
      }
      assert.equal(answers.size, 1, [...answers].join('\n\n'));
    });

  it('[A53] a fault in the header is reported before the issuer is checked', async () => {
    const judgedFirst: ErrorCode[] = ['algorithm_not_allowed', 'header_not_supported', 'token_malformed'];
    for (const [code, forge] of Object.values(unvouched).filter(([code]) => judgedFirst.includes(code)))
      for (const iss of ['https://evil.example', 'http://127.0.0.1/vestibule', undefined])
        await target().refuses(forge(target().provider.claims({ iss }), target().provider.key.kid), code);
  });

  /** An answer without what differs between any two, and without what is said of the connection. */
  function essence({ status, headers, text }: Reply): string {
    const changing = ['date', 'x-request-id', 'connection', 'keep-alive'];
    return JSON.stringify([status, [...headers].filter(([name]) => !changing.includes(name)), text]);
  }
}
