import { checksOf, type Mutant } from '../mutant.ts';

const assertion = ['test/attack/assertion.test.ts'];
const replay = ['test/attack/assertion-replay.test.ts'];
const clientKeys = ['test/cli/client-keys.test.ts'];
const ownKeys = ['test/attack/own-keys.test.ts'];
const signingKeys = ['test/fault/signing-keys.test.ts'];
const rotate = ['test/cli/keys-rotate.test.ts'];

/** The keys and secrets behind POST /token: those of clients, and our own. */
export const clientLifeChecks: readonly Mutant[] = [
  ...checksOf('src/tokens/recognise-client.ts', assertion, [
    [
      'an assertion is the client it is sent for',
      ' && isClaimed',
      '',
      'parties on the way disagree who the client is',
    ],
    [
      'the client of an assertion is active',
      "client?.state === 'active' && isClaimed",
      'client !== null && isClaimed',
      'a disabled client gets tokens',
    ],
    ['the assertion', ' && (await isSignedBy(…))', '', 'anybody is any client'],
    [
      'an assertion that was used',
      ' || !(await use())',
      '',
      'whoever overhears an assertion uses it again',
      replay,
    ],
  ]),
  ...checksOf('src/auth/signed-document.ts', assertion, [
    [
      'the signature of an assertion',
      'key !== undefined && signatureHolds(…)',
      'key !== undefined',
      'anybody is any client with a key',
    ],
    [
      'keys that nobody should use',
      'set.alarms.length > 0',
      'set.alarms.length < 0',
      'a private key is kept for everybody to find',
      clientKeys,
    ],
  ]),
  ...checksOf('src/tokens/assertion.ts', assertion, [
    [
      'a key of the client signed it',
      '(await signed?.signedBy(…)) === true',
      'signed !== null',
      'anybody is any client with a key',
    ],
    ['the client speaks for itself', 'iss !== sub || ', '', 'one client speaks for another'],
    [
      'an assertion has a name',
      "typeof jti !== 'string' || ",
      '',
      'an assertion without a name ends in a fault of ours',
    ],
    ['the name is not empty', " || jti === ''", '', 'an assertion without a name is accepted'],
    [
      'the length of the name',
      ' || jti.length > longestJti',
      '',
      'names of any length are taken from whoever has a key',
    ],
    [
      'an assertion is for us',
      'if (namedAudience(…) === undefined) return null;',
      '',
      'another server that a client trusts poses as the client',
    ],
    [
      'an assertion ends',
      "if (typeof exp !== 'number' || !Number.isFinite(…)) return null;",
      '',
      'a text is compared like a time',
    ],
    ['an assertion has begun', '!hasBegun(nbf, now / 1000) || ', '', 'an assertion is used before its time'],
    [
      'an assertion is not made ahead of time',
      ' || !hasBegun(iat, now / 1000)',
      '',
      'an assertion is used before its time',
    ],
    [
      'the type of an assertion',
      'types.has(signed?.type) && ',
      '',
      'another document that a client has signed is taken for an assertion',
    ],
    [
      'an assertion has not ended',
      'expiresAt > now - toleranceMs && ',
      '',
      'a stolen assertion works for ever',
    ],
    [
      'an assertion ends soon',
      ' && expiresAt <= now + longestLifeMs + toleranceMs',
      '',
      'used assertions fill the database',
    ],
    [
      'an assertion is used once',
      'return store.use(claims.sub as string, digest, expiresAt + toleranceMs, time.now());',
      'return (await store.use(claims.sub as string, digest, expiresAt + toleranceMs, time.now())) || true;',
      'whoever overhears an assertion uses it again',
      replay,
    ],
    [
      'a used assertion is remembered until it ends',
      'digest, expiresAt + toleranceMs, time.now())',
      'digest, clock.now() - 1, clock.now())',
      'whoever overhears an assertion uses it again',
      replay,
    ],
  ]),
  ...checksOf('src/tokens/public-keys.ts', clientKeys, [
    [
      'no private keys of clients',
      'if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {',
      "if (text === 'never') {",
      'nobody tells an operator that a private key has left its owner',
    ],
  ]),
  ...checksOf('src/tokens/clients.ts', clientKeys, [
    [
      'the keys of a client can be used',
      'if (fault !== null) throw',
      "if (fault === 'never') throw",
      'a weak key stands for a client',
    ],
  ]),
  ...checksOf(
    'src/storage/stores/clients.ts',
    ['test/cli/client-secrets.test.ts'],
    [
      [
        'the number of live secrets',
        "if (…) return 'too_many';",
        '',
        'a secret that is not compared with never works',
      ],
    ],
  ),
  ...checksOf('src/tokens/seal.ts', ownKeys, [
    ['the length of a box', 'if (…) return null;', '', 'a damaged box ends in a fault of ours'],
  ]),
  ...checksOf('src/tokens/signing-key.ts', ownKeys, [
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
    [
      'a key is what its name says',
      'if (published?.kid !== kid) {',
      'if (published === null) {',
      'one key stands in for another',
    ],
    [
      'the algorithm of a key of ours',
      'Object.hasOwn(…) ? publish(…) : null',
      "publish(publicKey, 'RS256')",
      'a key of another kind signs',
    ],
  ]),
  ...checksOf('src/tokens/signing-keys.ts', signingKeys, [
    [
      'a retired key verifies nothing',
      'this.#keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now)',
      'this.#keys.filter(() => now > 0)',
      'a key that leaked verifies for ever',
    ],
    [
      'a key does not sign before its time',
      'this.#keys.findLast(…) ?? first',
      'now > 0 ? this.#keys.at(-1) : first',
      'others cannot verify our tokens yet',
    ],
    [
      'a key of ours verifies its own algorithm',
      'key.kid === kid && key.algorithm === algorithm',
      'key.kid === kid',
      'a key is used with an algorithm it is not for',
      ['test/attack/algorithm.test.ts'],
    ],
    [
      'a key is published before it signs',
      'createdAt + prepublishMs',
      'createdAt',
      'others cannot verify our tokens yet',
      rotate,
    ],
    [
      'a key is published until its last token has ended',
      'signsFrom + tokenTtlMs + marginMs',
      'signsFrom',
      'tokens die before their time',
      rotate,
    ],
    [
      'one key waits at a time',
      'if (waiting !== undefined && waiting.signsFrom > clock.now()) {',
      'if (waiting === null) {',
      'a key signs for no time at all, and nobody knows which is next',
      rotate,
    ],
  ]),
];
