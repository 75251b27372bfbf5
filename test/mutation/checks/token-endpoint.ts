import { checksOf, type Mutant } from '../mutant.ts';

const wrong = ['test/http/token.401.test.ts'];
const missing = ['test/http/token.400.test.ts'];
const ownKeys = ['test/attack/own-keys.test.ts'];

/** POST /token, and the keys that sign its tokens. */
export const tokenEndpointChecks: readonly Mutant[] = [
  ...checksOf('src/tokens/credentials.ts', missing, [
    [
      'the content type',
      "if (!jsonType.test(contentType ?? '')) throw incomplete('content type');",
      '',
      'a form of another site sends credentials',
    ],
    [
      'the body is UTF-8',
      "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
      "new TextDecoder('utf-8', { ignoreBOM: true })",
      'different secrets become one',
      ['test/attack/credentials.test.ts'],
    ],
    [
      'the body is an object',
      "if (typeof value !== 'object' || value === null || Array.isArray(value)) throw incomplete('object');",
      '',
      'null ends in a fault of ours',
    ],
    ['the id is a text', "typeof clientId !== 'string' || ", '', 'an object reaches the database'],
    ['the id is not empty', " || clientId === ''", '', 'no id is a wrong id'],
    [
      'the secret is a text',
      "typeof clientSecret !== 'string' || ",
      '',
      'an object reaches the cryptography',
    ],
    ['the secret is not empty', " || clientSecret === ''", '', 'no secret is a wrong secret'],
  ]),
  ...checksOf('src/tokens/clients.ts', wrong, [
    ['the secret is right', '!matches || ', '', 'any secret is as good as the right one'],
    ['the client is active', " || client.state !== 'active'", '', 'a disabled client gets tokens'],
  ]),
  ...checksOf('src/tokens/secrets.ts', wrong, [
    [
      'the comparison of secrets',
      'matches |= Number(equal);',
      'matches |= 1;',
      'any secret is as good as the right one',
    ],
    [
      'the secret of nobody is random',
      'const nobodysDigest = randomBytes(32);',
      "const nobodysDigest = digestSecret(new Uint8Array(32), '');",
      'there is a secret for clients without one',
      ['test/attack/client-secrets.test.ts'],
    ],
    [
      'secrets are kept as keyed digests',
      "createHmac('sha256', key).update(secret)",
      "createHmac('sha256', '').update(secret)",
      'a stolen database tells whether a guess is right',
      ['test/attack/client-secrets.test.ts'],
    ],
    [
      'all slots are compared',
      'slot < secretSlots',
      'slot < stored.length',
      'the time tells how many secrets a client has',
      ['test/attack/client-secrets.test.ts'],
    ],
  ]),
  ...checksOf('src/tokens/seal.ts', ownKeys, [
    [
      'the length of a box',
      'if (box.length < nonceBytes + tagBytes) return null;',
      '',
      'a damaged box ends in a fault of ours',
    ],
  ]),
  ...checksOf('src/tokens/signing-keys.ts', ownKeys, [
    [
      'a box fits only its own place',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a file
      'return `signing-key/${kid}`;',
      "return 'signing-key';",
      'whoever can write to the database brings an old key back',
    ],
    [
      'a box that does not open',
      'if (der === null) {',
      'if (der?.length === 0) {',
      'a damaged key ends in a fault of ours',
    ],
    ['a key is what its name says', 'kid !== record.kid || ', '', 'one key stands in for another'],
    [
      'the algorithm of a key of ours',
      ' || record.algorithm !== signingAlgorithm',
      '',
      'a key of another kind signs',
    ],
  ]),
];
