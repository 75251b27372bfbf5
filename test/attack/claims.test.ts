import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkClaims } from '../../src/auth/claims.ts';
import { chooseIssuer } from '../../src/auth/jws.ts';
import { Refusal } from '../../src/base/errors.ts';
import { trustedIssuer, usualClaims } from '../support/tokens/claims-policy.ts';

describe('time claims, to the second', () => {
  const time = 1_800_000_000;
  const policy = { ...usualClaims, issuers: ['i'], audiences: ['a'] };
  const verdict = (claims: Record<string, number>) => {
    try {
      checkClaims({ iss: 'i', aud: 'a', exp: time + 600, ...claims }, policy, time);
      return 'accepted';
    } catch (error) {
      return error instanceof Refusal ? error.code : error;
    }
  };

  it('[A44] exp has a tolerance of five seconds', () => {
    assert.equal(verdict({ exp: time + 1 }), 'accepted');
    assert.equal(verdict({ exp: time }), 'accepted');
    assert.equal(verdict({ exp: time - 4.999 }), 'accepted');
    assert.equal(verdict({ exp: time - 5 }), 'token_expired');
    assert.equal(verdict({ exp: time - 6 }), 'token_expired');
  });

  it('[A43] nbf and iat have a tolerance of five seconds', () => {
    for (const name of ['nbf', 'iat']) {
      assert.equal(verdict({ [name]: time }), 'accepted');
      assert.equal(verdict({ [name]: time + 5 }), 'accepted');
      assert.equal(verdict({ [name]: time + 5.001 }), 'token_not_yet_valid');
      assert.equal(verdict({ [name]: time + 6 }), 'token_not_yet_valid');
    }
  });
});

const keys = { find: async () => undefined, generation: null };
const trusted = (...issuers: string[]) => trustedIssuer(keys, { issuers, audiences: ['a'] });
const provider = trusted('https://provider.example', 'https://provider.example/');
const ourselves = trusted('https://api.example');
const isMismatch = (error: unknown) => error instanceof Refusal && error.code === 'issuer_mismatch';

/** Issuers that resemble a trusted one, or hide one. */
const strangers = [
  'https://provider.example.evil',
  'https://provider.example//',
  'HTTPS://provider.example',
  'https://provider.exampl',
  ' https://provider.example',
  '',
  ['https://provider.example'],
  { toString: () => 'https://provider.example' },
  null,
  undefined,
  '__proto__',
];

it('[A33] an issuer is chosen by its exact name', () => {
  const all = [provider, ourselves];
  assert.equal(chooseIssuer(all, 'https://provider.example'), provider);
  assert.equal(chooseIssuer(all, 'https://provider.example/'), provider);
  assert.equal(chooseIssuer(all, 'https://api.example'), ourselves);
});

it('[A33] a similar issuer name is refused', () => {
  for (const stranger of strangers)
    assert.throws(() => chooseIssuer([provider, ourselves], stranger), isMismatch, String(stranger));
});

it('[A38] the claims are checked against the chosen issuer again', () => {
  const claims = { aud: 'a', exp: 2_000_000_000 };
  const check = (iss: unknown) => checkClaims({ ...claims, iss }, provider.claims, 1_900_000_000);
  assert.equal(check('https://provider.example/').issuer, 'https://provider.example/');
  for (const stranger of [...strangers, 'https://api.example'])
    assert.throws(() => check(stranger), isMismatch, String(stranger));
});
