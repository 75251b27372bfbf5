import { checksOf, type Mutant } from '../mutant.ts';

const shape = ['test/attack/shape.test.ts'];
const json = ['test/attack/json.test.ts'];
const header = ['test/attack/header.test.ts'];
const type = ['test/attack/type.test.ts'];
const oracle = ['test/attack/oracle.test.ts'];

/** Of a token before its claims: shape, header, issuer, key, signature, and the order of all that. */
export const tokenChecks: readonly Mutant[] = [
  ...checksOf('src/auth/compact.ts', shape, [
    [
      'the size of a token',
      "if (…) throw new Refusal('token_too_large');",
      '',
      'a token of any length is decoded and hashed',
    ],
    [
      'no part is empty',
      "segment === '' || ",
      '',
      'a token without a signature gets as far as the keys',
      ['test/attack/signature.test.ts'],
    ],
    [
      'one spelling for one token',
      "bytes.toString('base64url') !== segment",
      'false',
      'one token has many spellings, each a new entry of the cache',
    ],
    [
      'one spelling for one signature',
      'decode(text.slice(payloadEnd + 1)),',
      "Buffer.from(text.slice(payloadEnd + 1), 'base64url'),",
      'one signature has many spellings',
    ],
    [
      'the text of a token is UTF-8',
      "if (!isUtf8(…)) throw new Refusal('token_malformed');",
      '',
      'bytes that are no text become a name that others share',
      json,
    ],
    [
      'no byte order mark',
      "JSON.parse(bytes.toString('utf8'))",
      'JSON.parse(new TextDecoder().decode(bytes))',
      'parsers on the way disagree about the token',
      json,
    ],
    [
      'no list as header or payload',
      '!isJsonObject(…)',
      "typeof … !== 'object' || value === null",
      'a list is taken for claims',
      json,
    ],
    [
      'no null as header or payload',
      '!isJsonObject(…)',
      "typeof … !== 'object' || Array.isArray(value)",
      'null ends in a fault of ours',
      json,
    ],
    [
      'no text or number as header or payload',
      '!isJsonObject(…)',
      '… === null || Array.isArray(value)',
      'a text is taken for claims',
      json,
    ],
  ]),
  ...checksOf('src/auth/header.ts', header, [
    [
      'the allowed algorithms, before anything else',
      "typeof alg !== 'string' || !allowedAlgorithms.has(alg)",
      "typeof alg !== 'string'",
      'the answer to a forged algorithm depends on the issuer it claims',
      oracle,
    ],
    [
      'no demanded extensions',
      "if (…) throw new Refusal('header_not_supported');",
      '',
      'a token is accepted whose issuer forbids just that',
    ],
    [
      'no demanded extensions, whatever their form',
      'if (crit !== undefined ||',
      'if (Array.isArray(crit) ||',
      'an odd form of the demand goes unheard',
    ],
    [
      'no payload in another form',
      ' || b64 !== undefined',
      '',
      'what is read of a token is not what its issuer has signed',
    ],
    [
      'the name of a key is a text',
      "(typeof kid !== 'string' || kid.length > longestKid)",
      "(typeof kid === 'string' && kid.length > longestKid)",
      'a name that is no text reaches the keys',
    ],
    [
      'the length of the name of a key',
      "(typeof kid !== 'string' || kid.length > longestKid)",
      "typeof kid !== 'string'",
      'very long names are kept in memory',
    ],
    [
      'the type is a text',
      "if (typ !== undefined && typeof typ !== 'string') throw new Refusal('token_type_not_allowed');",
      '',
      'an odd type ends in a fault of ours',
      type,
    ],
    [
      'the type of a token',
      "if (!allowed) throw new Refusal('token_type_not_allowed');",
      '',
      'a logout token or a proof opens the door',
      type,
    ],
    [
      'RFC 9068 where it is asked for',
      '(!requireAtJwt && (type',
      '((type',
      'REQUIRE_AT_JWT does nothing',
      type,
    ],
  ]),
  ...checksOf(
    'src/auth/issuers.ts',
    ['test/attack/trusted-issuer.test.ts'],
    [
      [
        'the issuer is an exact text',
        'claims.issuers.includes(iss)',
        'claims.issuers.some((known) => iss.toLowerCase().startsWith(known))',
        'https://good.evil passes for https://good',
      ],
    ],
  ),
  ...checksOf(
    'src/auth/verifier.ts',
    ['test/attack/signature.test.ts'],
    [
      [
        'the algorithms of the chosen issuer',
        "if (…) throw new Refusal('algorithm_not_allowed');",
        '',
        'what one issuer may sign with, the other may too',
        ['test/attack/algorithm.test.ts'],
      ],
      ['the type by the rule of the chosen issuer', 'checkType(…);', '', 'any type will do', type],
      [
        'no key, no verification',
        "if (…) throw new Refusal('key_unknown');",
        '',
        'a token with an unknown key ends in a fault of ours',
        header,
      ],
      ['the signature', 'await signatures.run(…);', 'true;', 'anybody is anybody'],
      [
        'a signature that does not hold',
        "if (…) throw new Refusal('signature_invalid');",
        '',
        'anybody is anybody',
      ],
      [
        'the claims',
        'const claims = checkClaims(…);',
        "const claims: VerifiedClaims = { kind: 'user', issuer: '', subject: null, audience: '', scopes: [], times: { expiresAtSeconds: 9e9, notBeforeSeconds: null, issuedAtSeconds: null }, credentialId: null, sessionId: null, tokenId: null };",
        'an expired token for somebody else is as good as any',
        ['test/attack/audience.test.ts'],
      ],
      [
        'the signature before the claims',
        'const generation = issuer.keys.generation();',
        'checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000);\n    const generation = issuer.keys.generation();',
        'whoever has no key learns which claims would do',
        oracle,
      ],
    ],
  ),
];
