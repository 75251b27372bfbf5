import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkClaims } from '../../src/auth/claims.ts';
import { Refusal } from '../../src/base/errors.ts';
import { usualClaims } from '../support/tokens/claims-policy.ts';

const now = 1_800_000_000;
const policy = { ...usualClaims, issuers: ['https://pool.example.org'], audiences: ['our-program'] };
const claims = { iss: 'https://pool.example.org', exp: now + 60, sub: 'somebody' };

function codeOf(changes: object, rules: object): string | null {
  try {
    checkClaims({ ...claims, ...changes }, { ...policy, ...rules }, now);
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.code;
  }
}

describe('a claim that replaces the audience ("audience_claim")', () => {
  const byProgram = { audienceClaim: 'client_id' };

  it('only this claim decides, and only if it is configured', () => {
    assert.equal(codeOf({ client_id: 'our-program' }, byProgram), null);
    assert.equal(codeOf({ client_id: 'our-program', aud: 'another' }, byProgram), null);
    assert.equal(codeOf({ client_id: 'another', aud: 'our-program' }, byProgram), 'audience_mismatch');
    assert.equal(codeOf({ aud: 'our-program' }, byProgram), 'audience_mismatch');
    assert.equal(codeOf({ client_id: 'our-program' }, {}), 'audience_mismatch');
    assert.equal(codeOf({ client_id: 'our-program', azp: 'our-program' }, {}), 'audience_mismatch');
  });

  it('the claim is compared exactly, as an audience is', () => {
    const others = ['OUR-PROGRAM', 'our-program ', 'our-program-2', '', null, true, ['our-program', 7]];
    for (const client_id of others)
      assert.equal(codeOf({ client_id }, byProgram), 'audience_mismatch', JSON.stringify(client_id));
  });

  it('an ID token is refused, even if its claims fit', () => {
    assert.equal(codeOf({ client_id: 'our-program', token_use: 'id' }, byProgram), 'token_type_not_allowed');
    const needs = { ...byProgram, requiredClaims: { token_use: 'access' } };
    assert.equal(codeOf({ client_id: 'our-program', token_use: 'access' }, needs), null);
    for (const token_use of ['id', 'Access', ['access'], true, undefined])
      assert.equal(codeOf({ client_id: 'our-program', token_use }, needs), 'token_type_not_allowed');
  });
});
