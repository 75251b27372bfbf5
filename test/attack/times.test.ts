import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkClaims } from '../../src/auth/claims.ts';
import { Refusal } from '../../src/base/errors.ts';
import { usualClaims } from '../support/tokens/claims-policy.ts';

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
