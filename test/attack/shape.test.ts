import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import { signedDocumentOpener } from '../../src/auth/signed-document.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { build, makeCast } from '../support/tokens/built-token.ts';
import { compact, type Part, rs256 } from '../support/tokens/forged-token.ts';
import { tokenCases } from '../support/tokens/token-cases.ts';
import { joseVerdict, ourVerdict } from '../support/tokens/verdicts.ts';
import { attackedService } from './attacked-service.ts';

const target = attackedService();
const goodHeader = () => ({ alg: 'RS256', kid: target().provider.key.kid });
const signed = (header: Part, payload: Part) =>
  compact(header, payload, rs256(target().provider.key.privateKey));

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

it('[A1] a JSON object as header and as payload is accepted', async () => {
  await target().accepts(signed(goodHeader(), target().provider.claims()));
  await target().accepts(signed(` ${JSON.stringify(goodHeader())}\n`, target().provider.claims()));
});

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
/** Values in the place of a JSON object, made from the good object. */
const notObjects: Record<string, (good: unknown) => Part> = {
  'an array': (good) => json([good]),
  'an empty array': () => '[]',
  null: () => 'null',
  'a string': (good) => json(JSON.stringify(good)),
  'a number': () => '1',
  true: () => 'true',
  'an empty text': () => ' ',
  'invalid UTF-8': (good) =>
    Buffer.concat([json(good).subarray(0, -1), Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]),
  'an overlong form of UTF-8': (good) =>
    Buffer.concat([
      json(good).subarray(0, -1),
      Buffer.from([0x2c, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
    ]),
  'a byte order mark': (good) => Buffer.concat([utf8Bom, json(good)]),
  'UTF-16': (good) => Buffer.from(JSON.stringify(good), 'utf16le'),
  'two objects': (good) => `${JSON.stringify(good)}${JSON.stringify(good)}`,
  'a comment': (good) => `${JSON.stringify(good)}/* */`,
  'single quotes': (good) => JSON.stringify(good).replaceAll('"', "'"),
  'half an object': (good) => JSON.stringify(good).slice(0, -1),
  'arrays of depth 2,000': () => '['.repeat(2_000) + ']'.repeat(2_000),
};
for (const [name, make] of Object.entries(notObjects)) {
  it(`[A22] a header of ${name} is refused although the signature is valid`, async () => {
    await target().refuses(signed(make(goodHeader()), target().provider.claims()), 'token_malformed');
  });

  it(`[A23] a payload of ${name} is refused although the signature is valid`, async () => {
    // Few claims, so that no form of them is too long for a token.
    const { iss, aud, exp } = target().provider.claims();
    await target().refuses(signed(goodHeader(), make({ iss, aud, exp })), 'token_malformed');
  });
}

it('[A22] a header of depth 10,000 is refused', async () => {
  await target().refuses(signed('['.repeat(10_000), target().provider.claims()), 'token_too_large');
});

it('[A22] the last one of duplicate header names counts', async () => {
  const { kid } = goodHeader();
  const claims = target().provider.claims();
  await target().accepts(signed(`{"alg":"none","kid":"x","alg":"RS256","kid":"${kid}"}`, claims));
  const unsigned = signed(`{"alg":"RS256","kid":"${kid}","alg":"none"}`, claims);
  await target().refuses(unsigned, 'algorithm_not_allowed');
});

it('[A23] claims inside "__proto__" are ignored', async () => {
  const { iss, ...claims } = target().provider.claims();
  const hidden = `{"__proto__":${JSON.stringify({ iss })},${JSON.stringify(claims).slice(1)}`;
  await target().refuses(signed(goodHeader(), hidden), 'issuer_mismatch');
});
