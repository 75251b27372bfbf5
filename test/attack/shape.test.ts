import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import { signedDocumentOpener } from '../../src/auth/signed-document.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { build, makeCast } from '../support/tokens/built-token.ts';
import { tokenCases } from '../support/tokens/token-cases.ts';
import { joseVerdict, ourVerdict } from '../support/tokens/verdicts.ts';
import { attackedService } from './attacked-service.ts';

const target = attackedService();

it('[A20] a character beyond Latin-1 is not read as the base64url character of its low byte', async () => {
  const open = signedDocumentOpener(['RS256'], new SignatureQueue());
  const token = await target().provider.token();
  assert.notEqual(open(token), null, 'control');
  for (let at = 0; at < token.length; at += 50) {
    const twin = String.fromCharCode(token.charCodeAt(at) + 0x100);
    assert.equal(open(`${token.slice(0, at)}${twin}${token.slice(at + 1)}`), null, `at ${at}`);
  }
});

it('[J213] no generated token is accepted that jose refuses', async () => {
  const [issuer, { audience }] = ['https://provider.example', surroundings()];
  const policy = { issuers: [issuer], audience, requiredScopes: ['read'] };
  const cast = await makeCast(issuer, audience, target().provider.key);
  const seen = new Set<string>();
  const property = fc.asyncProperty(tokenCases, async (generated) => {
    const { token, keySet } = build(generated, cast);
    const ours = await ourVerdict(token, keySet, policy);
    seen.add(typeof ours === 'string' ? ours : 'accepted');
    if (typeof ours === 'string') return;
    const theirs = await joseVerdict(token, keySet, policy);
    assert.ok('claims' in theirs, `jose refuses it: ${'error' in theirs ? theirs.error.message : ''}`);
    assert.equal(ours.caller.subject, theirs.claims.sub ?? null);
  });
  await fc.assert(property, { seed: 20_261, numRuns: 150 });
  assert.ok(seen.has('accepted') && seen.size > 9, `only ${[...seen].join(', ')}`);
});
