import { it } from 'node:test';
import { compact, type Part, rs256 } from '../support/tokens/forged-token.ts';
import { attackedService } from './attacked-service.ts';

const target = attackedService();
const goodHeader = () => ({ alg: 'RS256', kid: target().provider.key.kid });
const signed = (header: Part, payload: Part) =>
  compact(header, payload, rs256(target().provider.key.privateKey));

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
  await target().refuses(
    signed(`{"alg":"RS256","kid":"${kid}","alg":"none"}`, claims),
    'algorithm_not_allowed',
  );
});

it('[A23] claims inside "__proto__" are ignored', async () => {
  const { iss, ...claims } = target().provider.claims();
  const hidden = `{"__proto__":${JSON.stringify({ iss })},${JSON.stringify(claims).slice(1)}`;
  await target().refuses(signed(goodHeader(), hidden), 'issuer_mismatch');
});
